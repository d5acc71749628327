// go_uses prints, for each Go file below the folder given, the files of other packages of the same
// module that declare a name which it uses as `package.Name`, as go/types resolves it, and those
// that `import _` runs.
// With `names` as a second argument: every use of a name, and where go/types says it is declared.
// Packages from elsewhere are not needed: what they declare is unknown and left aside.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

type folder struct {
	files []*ast.File // of the package itself
	inner []*ast.File // its tests in the same package
	outer []*ast.File // its tests in the package name_test
	built *types.Package
	busy  bool
}

type project struct {
	set     *token.FileSet
	root    string
	modules map[string]string // path of a module -> folder
	folders map[string]*folder
}

// declaring returns all files with a name at their top level: one for each platform, maybe.
func (it *folder) declaring(set *token.FileSet, name string) []string {
	found := []string{}
	for _, file := range append(append([]*ast.File{}, it.files...), it.inner...) {
		if file.Scope != nil && file.Scope.Lookup(name) != nil {
			found = append(found, set.File(file.Pos()).Name())
		}
	}
	return found
}

// ofOnePackage drops files of another package than most, such as programs that are ignored.
func ofOnePackage(files []*ast.File) []*ast.File {
	counts := map[string]int{}
	for _, file := range files {
		counts[file.Name.Name]++
	}
	kept := []*ast.File{}
	for _, file := range files {
		isMost := true
		for name, count := range counts {
			own := counts[file.Name.Name]
			isMost = isMost && (count < own || (count == own && (name >= file.Name.Name || name == "main")))
		}
		if isMost {
			kept = append(kept, file)
		}
	}
	return kept
}

var moduleLine = regexp.MustCompile(`(?m)^\s*module\s+"?([^\s"]+)`)

func (p *project) read() {
	filepath.Walk(p.root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return nil
		}
		name := info.Name()
		if info.IsDir() && path != p.root && (strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules") {
			return filepath.SkipDir
		}
		place := filepath.Dir(path)
		if name == "go.mod" {
			data, _ := os.ReadFile(path)
			if found := moduleLine.FindSubmatch(data); found != nil {
				p.modules[string(found[1])] = place
			}
		}
		if info.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(p.set, path, nil, parser.ParseComments)
		if file == nil || file.Name == nil || err != nil {
			return nil
		}
		it := p.folders[place]
		if it == nil {
			it = &folder{}
			p.folders[place] = it
		}
		switch {
		case !strings.HasSuffix(name, "_test.go"):
			it.files = append(it.files, file)
		case strings.HasSuffix(file.Name.Name, "_test"):
			it.outer = append(it.outer, file)
		default:
			it.inner = append(it.inner, file)
		}
		return nil
	})
}

func (p *project) folderOf(path string) string {
	best, place := "", ""
	for module, folder := range p.modules {
		if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(best) {
			best, place = module, filepath.Join(folder, strings.TrimPrefix(path, module))
		}
	}
	return place
}

// Import returns a package of the project, or an empty one for everything else.
func (p *project) Import(path string) (*types.Package, error) {
	place := p.folderOf(path)
	it := p.folders[place]
	if place == "" || it == nil || it.busy {
		name := filepath.Base(path)
		made := types.NewPackage(path, name)
		made.MarkComplete()
		return made, nil
	}
	if it.built == nil {
		it.busy = true
		it.built = p.check(path, it.files, nil)
		it.busy = false
	}
	return it.built, nil
}

func (p *project) check(path string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: p, FakeImportC: true, Error: func(error) {}, IgnoreFuncBodies: info == nil}
	made, _ := config.Check(path, p.set, files, info)
	return made
}

func (p *project) edges(files []*ast.File, found map[string]bool) {
	if len(files) == 0 {
		return
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	p.check("measured", files, info)
	for _, file := range files {
		from := p.set.File(file.Pos()).Name()
		for _, to := range p.sideEffects(file) {
			found[fmt.Sprintf("%s\t%s", p.local(from), p.local(to))] = true
		}
		ast.Inspect(file, func(node ast.Node) bool {
			selector, isSelector := node.(*ast.SelectorExpr)
			if !isSelector {
				return true
			}
			if name, isName := selector.X.(*ast.Ident); isName {
				_, isPackage := info.Uses[name].(*types.PkgName)
				used := info.Uses[selector.Sel]
				if isPackage && used != nil && used.Pos().IsValid() {
					place := filepath.Dir(p.set.File(used.Pos()).Name())
					for _, to := range p.folders[place].declaring(p.set, used.Name()) {
						found[fmt.Sprintf("%s\t%s", p.local(from), p.local(to))] = true
					}
				}
			}
			return true
		})
	}
}

// names adds a line for each use of something that the project declares.
func (p *project) names(files []*ast.File, found map[string]bool) {
	if len(files) == 0 {
		return
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	p.check("measured", files, info)
	for name, used := range info.Uses {
		if !used.Pos().IsValid() {
			continue
		}
		from, to := p.set.Position(name.Pos()), p.set.Position(used.Pos())
		line := fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%d", p.local(from.Filename), from.Line, from.Column, name.Name, p.local(to.Filename), to.Line)
		found[line] = true
	}
}

// sideEffects returns the files that run because of `import _`: those with init, or else all.
func (p *project) sideEffects(file *ast.File) []string {
	found := []string{}
	for _, spec := range file.Imports {
		if spec.Name == nil || spec.Name.Name != "_" {
			continue
		}
		it := p.folders[p.folderOf(strings.Trim(spec.Path.Value, "\""))]
		if it == nil {
			continue
		}
		all, some := []string{}, []string{}
		for _, other := range it.files {
			name := p.set.File(other.Pos()).Name()
			all = append(all, name)
			for _, declared := range other.Decls {
				function, isFunction := declared.(*ast.FuncDecl)
				if isFunction && function.Recv == nil && function.Name.Name == "init" {
					some = append(some, name)
					break
				}
			}
		}
		if len(some) == 0 {
			some = all
		}
		found = append(found, some...)
	}
	return found
}

func (p *project) local(path string) string {
	short, _ := filepath.Rel(p.root, path)
	return short
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	p := &project{token.NewFileSet(), root, map[string]string{}, map[string]*folder{}}
	p.read()
	for _, it := range p.folders {
		it.files = ofOnePackage(it.files)
	}
	found := map[string]bool{}
	collect := p.edges
	if len(os.Args) > 2 && os.Args[2] == "names" {
		collect = p.names
	}
	for _, it := range p.folders {
		collect(append(append([]*ast.File{}, it.files...), it.inner...), found)
		collect(it.outer, found)
	}
	lines := []string{}
	for line := range found {
		lines = append(lines, line)
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
