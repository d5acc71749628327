// Keeps the threads of the Comments panel equal to what the server says; knows nothing of VS Code.

export interface NoteComment {
  id: string;
  author: string;
  created: string;
  text: string;
}

export interface Note {
  id: string;
  /** From 1. */
  line: number;
  state: string;
  caveat: string;
  status: string;
  comments: NoteComment[];
}

/** What a thread needs from the editor. */
export interface Thread {
  show(note: Note): void;
  dispose(): void;
}

export class Threads {
  private readonly shown = new Map<string, Map<string, Thread>>();

  constructor(private readonly create: (uri: string, note: Note) => Thread) {}

  /** Shows exactly these notes of a file: new threads are made, and those that are gone disposed. */
  update(uri: string, notes: readonly Note[]): void {
    const before = this.shown.get(uri) ?? new Map<string, Thread>();
    const after = new Map<string, Thread>();
    for (const note of notes) {
      const thread = before.get(note.id) ?? this.create(uri, note);
      before.delete(note.id);
      thread.show(note);
      after.set(note.id, thread);
    }
    for (const thread of before.values()) {
      thread.dispose();
    }
    this.shown.set(uri, after);
  }

  /** Removes the threads of a file that was closed. */
  close(uri: string): void {
    this.update(uri, []);
    this.shown.delete(uri);
  }

  /** How many notes there are, and how many of them are about code that changed or is gone. */
  count(notes: Iterable<Note>): { open: number; stale: number } {
    let open = 0;
    let stale = 0;
    for (const note of notes) {
      if (note.status === "open") {
        open += 1;
        stale += note.state === "changed" || note.state === "gone" ? 1 : 0;
      }
    }
    return { open, stale };
  }
}

/** The label of a thread: what became of its code, where that matters. */
export function label(note: Note): string {
  return note.caveat === "" || note.state === "moved" ? "Note" : `Note: ${note.caveat}`;
}
