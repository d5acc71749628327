// Prints which types and methods of a Java project implement or override which, as javac resolves it:
//
//     java JavaTypes.java ROOT
//
// One row a pair, through any number of steps: `type` or `method`, the file and the name below, the
// file and the name above. Names begin at the outermost type. Types that are local or have no name,
// and what is above outside of the project, have no row.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.PrintStream;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

public class JavaTypes {
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
      new Reader(root, task, out).scan(unit, null);
    }
    out.flush();
  }

  static class Reader extends TreePathScanner<Void, Void> {
    final Path root;
    final Trees trees;
    final Types types;
    final Elements elements;
    final PrintStream out;

    Reader(Path root, JavacTask task, PrintStream out) {
      this.root = root;
      this.trees = Trees.instance(task);
      this.types = task.getTypes();
      this.elements = task.getElements();
      this.out = out;
    }

    @Override public Void visitClass(ClassTree tree, Void nothing) {
      Element element = trees.getElement(getCurrentPath());
      if (element instanceof TypeElement && isNamed((TypeElement) element)) {
        TypeElement below = (TypeElement) element;
        for (TypeElement above : above(below)) {
          if (!isNamed(above) || place(above) == null) continue;
          out.println("type\t" + place(below) + "\t" + place(above));
          for (ExecutableElement own : ElementFilter.methodsIn(below.getEnclosedElements())) {
            for (ExecutableElement base : ElementFilter.methodsIn(above.getEnclosedElements())) {
              if (elements.overrides(own, base, below)) {
                String name = "." + own.getSimpleName();
                out.println("method\t" + place(below) + name + "\t" + place(above) + name);
              }
            }
          }
        }
      }
      return super.visitClass(tree, nothing);
    }

    Set<TypeElement> above(TypeElement below) {
      Set<TypeElement> found = new LinkedHashSet<>();
      Deque<TypeMirror> open = new ArrayDeque<>(types.directSupertypes(below.asType()));
      while (!open.isEmpty()) {
        Element one = types.asElement(open.pop());
        if (one instanceof TypeElement && found.add((TypeElement) one)) {
          open.addAll(types.directSupertypes(one.asType()));
        }
      }
      found.remove(below);
      return found;
    }

    boolean isNamed(TypeElement type) {
      for (Element it = type; it instanceof TypeElement; it = it.getEnclosingElement()) {
        NestingKind kind = ((TypeElement) it).getNestingKind();
        if (kind != NestingKind.TOP_LEVEL && kind != NestingKind.MEMBER) return false;
      }
      return true;
    }

    String place(TypeElement type) {
      TreePath declared = trees.getPath(type);
      if (declared == null) return null;
      String name = type.getSimpleName().toString();
      for (Element it = type.getEnclosingElement(); it instanceof TypeElement;
          it = it.getEnclosingElement()) {
        name = it.getSimpleName() + "." + name;
      }
      Path file = Path.of(declared.getCompilationUnit().getSourceFile().getName());
      return root.relativize(file.toAbsolutePath()) + "\t" + name;
    }
  }
}
