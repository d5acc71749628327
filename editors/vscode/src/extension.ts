import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

import { label, Note, Thread, Threads } from "./threads";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    return;
  }
  const settings = vscode.workspace.getConfiguration("benchpin");
  client = new LanguageClient(
    "benchpin",
    "Benchpin",
    {
      command: settings.get<string>("command", "benchpin"),
      args: ["lsp", folder.uri.fsPath],
      transport: TransportKind.stdio,
    },
    {
      documentSelector: [{ scheme: "file", pattern: `${folder.uri.fsPath}/**` }],
      // The Comments panel shows the notes.
      initializationOptions: {
        notes: [],
        review: settings.get<boolean>("review", true),
        navigation: settings.get<boolean>("navigation", false),
        complexity: settings.get<boolean>("complexity", false),
        unused: settings.get<boolean>("unused", false),
      },
    },
  );
  await client.start();

  const controller = vscode.comments.createCommentController("benchpin", "Benchpin");
  controller.commentingRangeProvider = {
    provideCommentingRanges: (document) => [new vscode.Range(0, 0, document.lineCount - 1, 0)],
  };
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
  status.command = "workbench.action.focusCommentsPanel";
  const ids = new WeakMap<vscode.CommentThread, string>();

  const threads = new Threads((uri): Thread => {
    const thread = controller.createCommentThread(vscode.Uri.parse(uri), new vscode.Range(0, 0, 0, 0), []);
    return {
      show: (note) => {
        ids.set(thread, note.id);
        thread.range = new vscode.Range(note.line - 1, 0, note.line - 1, 0);
        thread.label = label(note);
        thread.state =
          note.status === "open" ? vscode.CommentThreadState.Unresolved : vscode.CommentThreadState.Resolved;
        thread.comments = note.comments.map((comment) => ({
          author: { name: comment.author },
          body: new vscode.MarkdownString(comment.text),
          mode: vscode.CommentMode.Preview,
          timestamp: new Date(comment.created),
        }));
      },
      dispose: () => thread.dispose(),
    };
  });

  const refresh = async (document: vscode.TextDocument): Promise<void> => {
    if (document.uri.scheme !== "file" || client === undefined) {
      return;
    }
    const uri = document.uri.toString();
    const notes = await client.sendRequest<Note[]>("benchpin/notes", { uri });
    threads.update(uri, notes);
    if (document === vscode.window.activeTextEditor?.document) {
      const { open, stale } = threads.count(notes);
      status.text = `$(comment) ${open}${stale > 0 ? ` $(warning) ${stale}` : ""}`;
      status.tooltip = `${open} notes, ${stale} on code that changed`;
      status.show();
    }
  };
  const run = async (command: string, thread: vscode.CommentThread, ...more: unknown[]): Promise<void> => {
    try {
      await client?.sendRequest("workspace/executeCommand", {
        command,
        arguments: [thread.uri.toString(), ...more],
      });
      await refresh(await vscode.workspace.openTextDocument(thread.uri));
    } catch (error) {
      void vscode.window.showErrorMessage(String(error instanceof Error ? error.message : error));
    }
  };

  context.subscriptions.push(
    controller,
    status,
    vscode.workspace.onDidOpenTextDocument(refresh),
    vscode.workspace.onDidSaveTextDocument(refresh),
    vscode.workspace.onDidCloseTextDocument((document) => threads.close(document.uri.toString())),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && void refresh(editor.document)),
    vscode.commands.registerCommand("benchpin.refresh", () => {
      const editor = vscode.window.activeTextEditor;
      return editor && refresh(editor.document);
    }),
    vscode.commands.registerCommand("benchpin.createNote", async (reply: vscode.CommentReply) => {
      const line = (reply.thread.range?.start.line ?? 0) + 1;
      await run("benchpin.addNote", reply.thread, line, reply.text);
      reply.thread.dispose();
    }),
    vscode.commands.registerCommand("benchpin.reply", (reply: vscode.CommentReply) =>
      run("benchpin.answerNote", reply.thread, ids.get(reply.thread), reply.text),
    ),
    vscode.commands.registerCommand("benchpin.resolve", (thread: vscode.CommentThread) =>
      run("benchpin.resolveNote", thread, ids.get(thread)),
    ),
  );
  await Promise.all(vscode.workspace.textDocuments.map(refresh));
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
