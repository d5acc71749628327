"""A few lines of each language, with what most files of it have: an import, a type, a branch."""

SNIPPETS: dict[str, str] = {
    "bash": """\
#!/bin/bash
f() {
  if [ -n "$1" ] && g; then echo "${x[@]}"; fi
}
case $x in a) ;; esac
""",
    "c": """\
#include <a.h>
#if A
int f(int a) { while (a && b) a--; return a ? 1 : 0; }
#else
#endif
""",
    "cpp": """\
namespace n { template <class T> struct A : B { void f() const { for (auto x : y) g(); } }; }
""",
    "csharp": """\
using A;
namespace N { class C : D { int F(int a) => a > 0 ? 1 : 2; } }
""",
    "go": """\
package p

import "fmt"

func (t *T) F(a int) error {
	for a < 3 { a++ }
	return nil
}
""",
    "java": """\
import a.B;
public class C extends D {
  /** x */ int f(int a) { if (a > 0) return 1; return 0; }
}
""",
    "javascript": """\
import a from 'b';
export function f(x) { return x?.y ?? `${x}`; }
class A extends B {}
""",
    "kotlin": """\
import a.b
class C : D() {
  fun f(x: Int) = when (x) { 1 -> "$x" else -> "" }
}
""",
    "php": """\
<?php
namespace A;
use B\\C;
function f($a) { foreach ($a as $b) { echo "$b"; } }
""",
    "python": """\
import a

@d
class C(B):
    def f(self, x=1):
        return [y for y in x if y and f'{y}']
""",
    "ruby": """\
require 'a'
module M
  class C < D
    def f(a) = a.map { |x| "#{x}" unless x }
  end
end
""",
    "rust": """\
use a::b;
impl T for S {
    fn f(&self) -> u8 { match x { 1 if y => 2, _ => vec![3][0] } }
}
""",
    "scala": """\
import a.b
object O extends T { def f(x: Int): Int = x match { case 1 => 2; case _ => 3 } }
""",
    "swift": """\
import A
class C: D {
  func f(_ x: Int) -> Int { guard x > 0 else { return 0 }; return x }
}
""",
    "tsx": """\
import * as a from 'b';
export const f = (x: T) => x ? <A b={x}>{x}</A> : null;
""",
    "typescript": """\
import { a } from 'b';
export abstract class A<T> { private f(x?: T): void {} }
""",
}
