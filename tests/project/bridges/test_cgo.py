from bridge_kit import bridges, lines

GO = """\
package main

/*
#include "x.h"
static int helper(int a) { return a; }
extern void called(int a);
*/
import "C"
import "fmt"

//export called
func called(a C.int) {}

func main() {
    var n C.my_size
    fmt.Println(C.helper(1), C.shown(C.int(2)), C.my_size(3), n)
    s := C.CString("x")
    C.free(s) // C.commented()
}
"""


def test_go_calls_c_before_the_import_in_the_project_and_elsewhere() -> None:
    files = {"main.go": GO, "x.c": "int shown(int a) { called(a); return a; }\n"}
    assert lines(files) == [
        "c_abi called x.c:1 -> main.go:11",
        "cgo called main.go:6 -> main.go:11",
        "cgo helper main.go:16 -> main.go:5",
        "cgo shown main.go:16 -> x.c:1",
        "cgo free main.go:18 -> ?",
    ]
    languages = [(it.from_language, it.to_language) for it in bridges(files).references]
    assert languages == [("c", "go"), ("c", "go"), ("go", "c"), ("go", "c"), ("go", None)]


def test_what_another_file_of_the_package_has_before_its_import_is_found() -> None:
    files = {
        "a.go": 'package p\n\n// int one(void) { return 1; }\nimport "C"\n',
        "b.go": 'package p\n\n// int one(void);\nimport "C"\n\nfunc f() { C.one() }\n',
    }
    assert lines(files) == ["cgo one b.go:6 -> a.go:3"]


def test_a_file_without_cgo_has_no_references() -> None:
    assert lines({"main.go": "package main\n\nfunc f() { C.x() }\n"}) == []
