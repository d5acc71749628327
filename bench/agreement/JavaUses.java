// Prints where every name of a Java project leads, as javac resolves it:
//
//     java JavaUses.java ROOT
//
// One row a name: file, line, column, name, then the file of the declaration and the lines where it
// starts and where its name is; no file for local variables and for what is declared outside of the
// project. Names that javac cannot resolve, because a dependency is missing, have no row.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.PrintStream;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.tools.*;

public class JavaUses {
  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]).toRealPath();
    List<Path> sources;
    try (Stream<Path> found = Files.walk(root)) {
      sources = found.filter(it -> it.toString().endsWith(".java"))
          .filter(it -> !it.endsWith("module-info.java") && !it.endsWith("package-info.java"))
          .sorted().collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
    List<String> options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-nowarn");
    JavacTask task = (JavacTask) compiler.getTask(null, files, problem -> {}, options, null,
        files.getJavaFileObjectsFromPaths(sources));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    for (CompilationUnitTree unit : units) {
      new Reader(root, Trees.instance(task), out).scan(unit, null);
    }
    out.flush();
  }

  static class Reader extends TreePathScanner<Void, Void> {
    final Path root;
    final Trees trees;
    final PrintStream out;

    Reader(Path root, Trees trees, PrintStream out) {
      this.root = root;
      this.trees = trees;
      this.out = out;
    }

    @Override public Void visitIdentifier(IdentifierTree tree, Void nothing) {
      add(tree.getName().toString(), start(getCurrentPath().getCompilationUnit(), tree));
      return super.visitIdentifier(tree, nothing);
    }

    @Override public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
      String name = tree.getIdentifier().toString();
      add(name, end(getCurrentPath().getCompilationUnit(), tree) - name.length());
      return super.visitMemberSelect(tree, nothing);
    }

    @Override public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
      String name = tree.getName().toString();
      add(name, end(getCurrentPath().getCompilationUnit(), tree) - name.length());
      return super.visitMemberReference(tree, nothing);
    }

    @Override public Void visitImport(ImportTree tree, Void nothing) {
      return null;
    }

    void add(String name, long at) {
      Element element = trees.getElement(getCurrentPath());
      boolean isKnown = element != null && element.asType().getKind() != TypeKind.ERROR
          && element.getKind() != ElementKind.PACKAGE && at >= 0;
      if (!isKnown || name.equals("this") || name.equals("super") || name.equals("class")) return;
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      TreePath declared = trees.getPath(element);
      String place = "\t0\t0";
      boolean isMember = element.getKind().isField() || element.getKind().isClass()
          || element.getKind().isInterface() || element instanceof ExecutableElement;
      if (declared != null && isMember) {
        CompilationUnitTree other = declared.getCompilationUnit();
        long first = start(other, declared.getLeaf());
        place = file(other) + "\t" + line(other, first) + "\t" + line(other, named(declared, element));
      }
      LineMap lines = unit.getLineMap();
      out.println(file(unit) + "\t" + line(unit, at) + "\t" + lines.getColumnNumber(at) + "\t"
          + name + "\t" + place);
    }

    /** Where the name of a declaration is: after its modifiers and its type. */
    long named(TreePath declared, Element element) {
      CompilationUnitTree unit = declared.getCompilationUnit();
      Tree leaf = declared.getLeaf();
      long from = start(unit, leaf);
      if (leaf instanceof MethodTree && ((MethodTree) leaf).getReturnType() != null) {
        from = end(unit, ((MethodTree) leaf).getReturnType());
      } else if (leaf instanceof VariableTree && ((VariableTree) leaf).getType() != null) {
        from = Math.max(from, end(unit, ((VariableTree) leaf).getType()));
      }
      try {
        String text = unit.getSourceFile().getCharContent(true).toString();
        int found = text.indexOf(element.getSimpleName().toString(), (int) from);
        return found < 0 ? from : found;
      } catch (java.io.IOException error) {
        return from;
      }
    }

    long start(CompilationUnitTree unit, Tree tree) {
      return trees.getSourcePositions().getStartPosition(unit, tree);
    }

    long end(CompilationUnitTree unit, Tree tree) {
      return trees.getSourcePositions().getEndPosition(unit, tree);
    }

    long line(CompilationUnitTree unit, long at) {
      return at < 0 ? 0 : unit.getLineMap().getLineNumber(at);
    }

    String file(CompilationUnitTree unit) {
      return root.relativize(Path.of(unit.getSourceFile().getName()).toAbsolutePath()).toString();
    }
  }
}
