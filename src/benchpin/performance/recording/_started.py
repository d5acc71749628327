"""What is started with a program so that it is profiled.

This file is sent into the sandbox as text with `_recorder.py`, and runs there without Benchpin.
"""

CPROFILE = """\
import cProfile, io, runpy, sys, time
out, clock, kind, target, *args = sys.argv[1:]
timer = (time.process_time_ns, 1e-9) if clock == "cpu" else ()
profiler = cProfile.Profile(*timer)
sys.argv = [target, *args]
try:
    import importlib.util, os
    is_tests = target == "pytest" and os.environ.get("BENCHPIN_PROFILE_TESTS")
    if is_tests and importlib.util.find_spec("pytest"):
        import pytest
        # Only the tests with their fixtures: to start and to collect them takes longer.
        def measured(self, item):
            profiler.enable()
            yield
            profiler.disable()
        parts = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")
        hook = pytest.hookimpl(hookwrapper=True)
        plugin = type("Profiled", (), {name: hook(measured) for name in parts})
        sys.path.insert(0, "")
        sys.exit(pytest.main(args, plugins=[plugin()]))
    elif kind == "module":
        sys.path.insert(0, "")
        profiler.runcall(runpy.run_module, target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, "" if kind == "code" else os.path.dirname(target))
        with io.open_code(target) as file:
            name = "<string>" if kind == "code" else target
            code = compile(file.read(), name, "exec")
        import types
        main = types.ModuleType("__main__")
        main.__file__ = target
        main.__builtins__ = __builtins__
        sys.modules["__main__"] = main
        profiler.runctx(code, main.__dict__, main.__dict__)
finally:
    profiler.dump_stats(out)
"""
EXCIMER = r"""<?php
(function () {
    $profiler = new ExcimerProfiler();
    $profiler->setPeriod(PERIOD);
    $profiler->setEventType(EVENT);
    $profiler->start();
    register_shutdown_function(function () use ($profiler) {
        $profiler->stop();
        // Collapsed stacks have no files; lines of frames are not those of definitions.
        $frames = $known = $samples = $weights = [];
        foreach ($profiler->flush() as $entry) {
            $stack = [];
            foreach (array_reverse($entry->getTrace()) as $frame) {
                $name = $frame['function'] ?? '{main}';
                $name = isset($frame['class']) ? $frame['class'] . '::' . $name : $name;
                $key = $name . "\0" . ($frame['file'] ?? '');
                if (!isset($known[$key])) {
                    $known[$key] = count($frames);
                    $frames[] = ['name' => $name] + array_intersect_key($frame, ['file' => 1]);
                }
                $stack[] = $known[$key];
            }
            $samples[] = $stack;
            $weights[] = (int) ($entry->getEventCount() * 1e9 * PERIOD);
        }
        $profile = ['type' => 'sampled', 'unit' => 'nanoseconds'] + compact('samples', 'weights');
        $whole = ['$schema' => 'https://www.speedscope.app/file-format-schema.json',
            'shared' => ['frames' => $frames], 'profiles' => [$profile]];
        if ($samples) {
            $text = json_encode($whole, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES);
            file_put_contents('FOLDER/profile.speedscope.json', $text);
        }
    });
})();
"""
