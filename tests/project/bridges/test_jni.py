import pytest

from benchpin.project.bridges._jni import mangle
from bridge_kit import bridges, lines

JAVA = """\
package com.example;

public class Foo {
    static { System.loadLibrary("foo"); }
    public native int plain(int a);
    private static synchronized native void under_score(
        int a);
    // native void commented();
    static class Inner {
        native long deep();
    }
    native void absent();
}
"""
C = """\
#include <jni.h>
JNIEXPORT jint JNICALL Java_com_example_Foo_plain(JNIEnv *e, jobject o, jint a) { return a; }
JNIEXPORT void JNICALL Java_com_example_Foo_under_1score__I(JNIEnv *e, jclass c, jint a) {}
JNIEXPORT jlong JNICALL Java_com_example_Foo_00024Inner_deep(JNIEnv *e, jobject o) { return 1; }
JNIEXPORT void JNICALL Java_com_example_Gone_run(JNIEnv *e, jobject o) {}
"""


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("com/example/Foo", "com_example_Foo"),
        ("_a_b", "_1a_1b"),
        ("Outer$Inner", "Outer_00024Inner"),
        ("größe", "gr_000f6_000dfe"),
    ],
)
def test_names_are_written_as_the_jni_specification_says(name: str, written: str) -> None:
    assert mangle(name) == written


def test_native_methods_lead_to_the_functions_that_are_named_for_them() -> None:
    files = {"src/Foo.java": JAVA, "jni/foo.c": C}
    assert lines(files) == [
        "jni Java_com_example_Foo_plain src/Foo.java:5 -> jni/foo.c:2",
        "jni Java_com_example_Foo_under_1score__I src/Foo.java:6 -> jni/foo.c:3",
        "jni Java_com_example_Foo_00024Inner_deep src/Foo.java:10 -> jni/foo.c:4",
        "jni Java_com_example_Gone_run jni/foo.c:5 -> ?",
        "jni Java_com_example_Foo_absent src/Foo.java:12 -> ?",
    ]
    assert (
        bridges(files).references[3].evidence.startswith("JNIEXPORT void JNICALL Java_com_example")
    )
    missing = {it.symbol.rpartition("_")[2]: it.reason for it in bridges(files).references[3:]}
    assert "no class" in missing["run"]
    assert "no function" in missing["absent"]


def test_kotlin_has_external_functions_in_classes_companions_and_files() -> None:
    files = {
        "Bar.kt": """\
            package com.example

            class Bar {
                external fun run(a: Int): Int
                companion object {
                    @JvmStatic external fun make(): Long
                    init { System.loadLibrary("bar") }
                }
            }
            private external fun top(): Int
            """,
        "bar.rs": """\
            #[no_mangle]
            pub extern "system" fn Java_com_example_Bar_run(env: JNIEnv) {}
            #[no_mangle]
            pub extern "system" fn Java_com_example_Bar_make(env: JNIEnv) {}
            #[no_mangle]
            pub extern "system" fn Java_com_example_BarKt_top(env: JNIEnv) {}
            """,
    }
    assert lines(files) == [
        "jni Java_com_example_Bar_run Bar.kt:4 -> bar.rs:2",
        "jni Java_com_example_Bar_make Bar.kt:6 -> bar.rs:4",
        "jni Java_com_example_BarKt_top Bar.kt:10 -> bar.rs:6",
    ]


def test_tables_of_native_methods_name_functions_by_class() -> None:
    files = {
        "a/One.java": "package a;\nclass One { native int size(); }\n",
        "a/Two.java": "package a;\nclass Two { native int size(); }\n",
        "a/Three.java": "package a;\nclass Three { native int size(); }\n",
        "jni.cpp": """\
            static jint One_size(JNIEnv* e, jobject o) { return 1; }
            static jint Two_size(JNIEnv* e, jobject o) { return 2; }
            static JNINativeMethod one[] = {{"size", "()I", (void*)One_size}};
            static JNINativeMethod two[] = {
                {"size", "()I", reinterpret_cast<void*>(Two_size)},
            };
            void load(JNIEnv* e) {
                e->RegisterNatives(e->FindClass("a/One"), one, 1);
                e->RegisterNatives(e->FindClass("a/Two"), two, 1);
            }
            """,
    }
    assert lines(files) == [
        "jni size a/One.java:2 -> jni.cpp:1",
        "jni size a/Two.java:2 -> jni.cpp:2",
        "jni Java_a_Three_size a/Three.java:2 -> ?",
    ]
