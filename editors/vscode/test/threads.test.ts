// With a host of our own in place of the editor, which cannot be downloaded everywhere.
import assert from "node:assert/strict";
import test from "node:test";

import { label, Note, Thread, Threads } from "../src/threads";

class FakeThread implements Thread {
  shown: Note[] = [];
  isDisposed = false;
  show(note: Note): void {
    this.shown.push(note);
  }
  dispose(): void {
    this.isDisposed = true;
  }
}

function note(id: string, more: Partial<Note> = {}): Note {
  return { id, line: 1, state: "fresh", caveat: "", status: "open", comments: [], ...more };
}

function host(): { threads: Threads; made: FakeThread[] } {
  const made: FakeThread[] = [];
  const threads = new Threads(() => {
    const thread = new FakeThread();
    made.push(thread);
    return thread;
  });
  return { threads, made };
}

test("a note keeps its thread when it moves", () => {
  const { threads, made } = host();
  threads.update("a", [note("c_1")]);
  threads.update("a", [note("c_1", { line: 7 })]);
  assert.equal(made.length, 1);
  assert.deepEqual(made[0].shown.map((it) => it.line), [1, 7]);
});

test("the thread of a note that is gone is disposed", () => {
  const { threads, made } = host();
  threads.update("a", [note("c_1"), note("c_2")]);
  threads.update("a", [note("c_2")]);
  assert.deepEqual(made.map((it) => it.isDisposed), [true, false]);
});

test("files do not share threads, and closing one disposes its own", () => {
  const { threads, made } = host();
  threads.update("a", [note("c_1")]);
  threads.update("b", [note("c_1")]);
  threads.close("a");
  assert.deepEqual(made.map((it) => it.isDisposed), [true, false]);
});

test("open notes are counted, and those whose code changed or is gone", () => {
  const notes = [note("1"), note("2", { state: "changed" }), note("3", { state: "gone", status: "resolved" })];
  assert.deepEqual(host().threads.count(notes), { open: 2, stale: 1 });
});

test("a label says what became of the code, unless it only moved", () => {
  assert.equal(label(note("1", { state: "moved", caveat: "moved" })), "Note");
  assert.equal(label(note("1", { state: "changed", caveat: "the code changed since" })), "Note: the code changed since");
});
