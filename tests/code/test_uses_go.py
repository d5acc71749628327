from navigation_kit import uses

FILES = {
    "go.mod": "module m\n",
    "till/till.go": """package till

type Till struct {
	next *Till
}

type Opener interface {
	Open() *Till
}

func New() *Till { return &Till{} }

func Pair() (*Till, error) { return nil, nil }

func (t *Till) Open() *Till { return t }

func (t *Till) Shut() {
	t.Open()
	t.next.Open()
}
""",
    "shop/shop.go": """package shop

import "m/till"

type Shop struct {
	a, b *till.Till
	list []*till.Till
	opener till.Opener
}

func (s *Shop) Run(x, y *till.Till, it interface{ Open() }) {
	s.a.Open()
	s.b.Open()
	x.Open()
	y.Open()
	made := till.New()
	made.Open()
	got, err := till.Pair()
	got.Open()
	lit := &till.Till{}
	lit.Open()
	var v till.Till
	v.Open()
	for _, each := range s.list {
		each.Open()
	}
	till.New().Open().Open()
	it.Open()
	s.opener.Open()
	if err := s.check(); err != nil {
		return
	}
}

func (s *Shop) check() error { return nil }
""",
}


def test_types_of_receivers_fields_parameters_and_results_make_calls_certain() -> None:
    found = uses(FILES, "Till.Open")
    lines = [it.partition(" ")[0] for it in found["certain"]]
    shop = [12, 13, 14, 15, 17, 19, 21, 23, 25, 27]
    assert lines == [*(f"shop/shop.go:{it}" for it in shop), "till/till.go:18", "till/till.go:19"]


def test_a_call_through_an_interface_or_an_unknown_type_is_possible() -> None:
    assert uses(FILES, "Till.Open")["possible"] == [
        "shop/shop.go:28 call Shop.Run",
        "shop/shop.go:29 call Shop.Run",
    ]


def test_a_function_of_another_package_is_certain() -> None:
    lines = [it.partition(" ")[0] for it in uses(FILES, "New")["certain"]]
    assert lines == ["shop/shop.go:16", "shop/shop.go:27"]


def test_a_local_variable_hides_a_function() -> None:
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\nfunc help() {}\n\nfunc f() {\n\thelp := 1\n\t_ = help\n}\n",
    }
    assert uses(files, "help")["certain"] == []


def test_a_method_is_no_name_in_the_declaration_of_its_type() -> None:
    code = "package m\n\ntype Mouse struct{}\n\ntype Motion Mouse\n\nfunc (m Motion) Mouse() {}\n"
    files = {"go.mod": "module m\n", "a.go": code}
    assert uses(files, "a.go::Mouse")["certain"] == ["a.go:5 inherit Motion"]


def test_a_package_may_have_several_files_some_of_them_for_one_platform() -> None:
    files = {
        "go.mod": "module m\n",
        "p/a.go": "package p\n\nfunc A() { Both() }\n",
        "p/b_unix.go": "package p\n\nfunc Both() {}\n",
        "p/b_windows.go": "package p\n\nfunc Both() {}\n",
        "main.go": 'package main\n\nimport "m/p"\n\nfunc main() {\n\tp.A()\n\tp.Both()\n}\n',
    }
    assert uses(files, "A")["certain"] == ["main.go:6 call main"]
    for name in ("p/b_unix.go::Both", "p/b_windows.go::Both"):
        assert uses(files, name)["possible"] == ["main.go:7 call main", "p/a.go:3 call A"]


def test_named_results_are_variables_with_a_type() -> None:
    code = """package m

type T struct{}

func (t *T) Go() {}

func make() (it *T, err error) {
	it.Go()
	return
}
"""
    assert uses({"go.mod": "module m\n", "a.go": code}, "T.Go")["certain"] == ["a.go:8 call make"]


def test_methods_belong_to_the_type_of_their_package() -> None:
    files = {
        "go.mod": "module m\n",
        "a/a.go": "package a\n\ntype T struct{}\n\nfunc F(t T) { t.Go() }\n",
        "a/b.go": "package a\n\nfunc (t T) Go() {}\n",
        "b/a.go": "package b\n\ntype T struct{}\n\nfunc F(t T) { t.Go() }\n",
    }
    assert uses(files, "T.Go")["certain"] == ["a/a.go:5 call F"]


def test_the_key_of_a_literal_is_the_field_of_its_type() -> None:
    code = "package m\n\ntype T struct {\n\tsize int\n}\n\nvar t = T{size: 1}\n"
    assert uses({"go.mod": "module m\n", "a.go": code}, "T.size")["certain"] == ["a.go:7 read"]


def test_the_receivers_of_a_type_are_no_more_than_types() -> None:
    code = "package m\n\ntype T struct{}\n\nfunc (t T) A() {}\n\nfunc (t *T) B() {}\n"
    found = uses({"go.mod": "module m\n", "a.go": code}, "a.go::T")["certain"]
    assert found == ["a.go:5 type T.A", "a.go:7 type T.B"]


def test_a_variable_is_visible_from_the_statement_after_it_to_the_end_of_its_block() -> None:
    code = """package m

func help(s int) int { return s }

func f(s int) {
	if true {
		help := help(s)
		_ = help
	}
	help(1)
	if help := help(2); help > 1 {
		_ = help
	} else if help > 2 {
		_ = help
	}
	for _, help := range help(3) {
		_ = help
	}
	switch help := help(4); help {
	case 1:
		help := 2
		_ = help
	}
	switch s {
	case 1:
		help := 2
		_ = help
	case 2:
		help(5)
	}
	var help = help(6)
	_ = help
}
"""
    found = uses({"go.mod": "module m\n", "a.go": code}, "help")["certain"]
    assert found == [f"a.go:{it} call f" for it in (7, 10, 11, 16, 19, 29, 31)]


def test_a_constant_is_used_in_other_files_of_its_package() -> None:
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\nconst (\n\tKindA = iota\n\tKindB\n)\n",
        "b.go": "package m\n\nvar names = map[int]string{KindB: `b`}\n",
        "sub/c.go": "package sub\n\nvar KindB = 1\n\nvar x = KindB\n",
    }
    assert uses(files, "a.go::KindB")["certain"] == ["b.go:3 read"]


def test_a_key_of_a_named_map_type_is_a_certain_use() -> None:
    code = """package shop

const Key = "a"

type M map[string]int

type List [3]int

type Other struct{ Key int }

var m = M{Key: 1}

var o = Other{Key: 1}
"""
    found = uses({"go.mod": "module shop\n", "shop.go": code}, "shop.go::Key")
    assert found["certain"] == ["shop.go:11 read"]
    assert found["possible"] == []


def test_a_value_made_of_a_type_of_a_library_is_none_of_the_project() -> None:
    texts = {
        "go.mod": "module m\n",
        "a/a.go": "package a\n\ntype Cache struct{}\n\nfunc (c *Cache) Delete(key string) {}\n",
        "b/b.go": """package b

import (
	"m/a"
	"sync"
)

var lock = sync.Map{}
var own = a.Cache{}
var unknown = make()

func f() {
	local := sync.Map{}
	lock.Delete("1")
	local.Delete("2")
	own.Delete("3")
	unknown.Delete("4")
}
""",
    }
    found = uses(texts, "Cache.Delete")
    assert found["certain"] == ["b/b.go:16 call f"]
    assert found["possible"] == ["b/b.go:17 call f"]


def test_a_function_that_is_given_to_a_variable_of_the_package_writes_it() -> None:
    files = {
        "go.mod": "module a\n",
        "a.go": "package a\n\nvar Hook func()\n",
        "a_test.go": "package a\n\nfunc t() {\n\told := Hook\n"
        "\tHook = func() {}\n\tHook = old\n}\n",
    }
    found = uses(files, "a.go::Hook")
    assert found["certain"] == [f"a_test.go:{it} t" for it in ("4 read", "5 write", "6 write")]


def test_the_field_of_an_embedded_type_is_a_use_of_the_type() -> None:
    code = """package a

type Diode interface{ Next() }

type Poller struct {
\tDiode
\tn int
}

func New(d Diode) *Poller {
\tp := &Poller{Diode: d}
\tp.Diode.Next()
\tunknown().Diode = d
\treturn p
}
"""
    found = uses({"a.go": code}, "a.go::Diode")
    lines = [it.partition(" ")[0] for it in found["certain"]]
    assert lines == ["a.go:6", "a.go:10", "a.go:11", "a.go:12"]
    assert found["possible"] == ["a.go:13 write New"]
