<?php

// Runs the tests of a generated project where PHPUnit is not at hand.

declare(strict_types=1);

namespace PHPUnit\Framework {
    abstract class TestCase
    {
        public ?string $expected = null;

        public function expectException(string $class): void
        {
            $this->expected = $class;
        }

        public static function assertSame(mixed $expected, mixed $actual): void
        {
            if ($expected !== $actual) {
                throw new \RuntimeException(var_export($actual, true) . ' is not ' . var_export($expected, true));
            }
        }

        public static function assertIsResource(mixed $actual): void
        {
            self::assertSame(true, is_resource($actual));
        }
    }
}

namespace {
    set_error_handler(static function (int $level, string $message): never {
        throw new ErrorException($message);
    });

    $root = $argv[1];
    $manifest = json_decode(file_get_contents("{$root}/composer.json"), true, 512, JSON_THROW_ON_ERROR);
    $folders = $manifest['autoload-dev']['psr-4'] + $manifest['autoload']['psr-4'];
    spl_autoload_register(static function (string $class) use ($root, $folders): void {
        foreach ($folders as $prefix => $folder) {
            $file = "{$root}/{$folder}" . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
            if (str_starts_with($class, $prefix) && is_file($file)) {
                require $file;

                return;
            }
        }
    });

    $passed = 0;
    [$prefix] = array_keys($manifest['autoload-dev']['psr-4']);
    foreach (glob("{$root}/tests/*Test.php") as $file) {
        $class = $prefix . basename($file, '.php');
        foreach (get_class_methods($class) as $method) {
            if (!str_starts_with($method, 'test')) {
                continue;
            }
            $case = new $class();
            try {
                $case->$method();
                $thrown = null;
            } catch (Throwable $error) {
                $thrown = $error;
            }
            if ($case->expected === null ? $thrown !== null : !$thrown instanceof $case->expected) {
                fwrite(STDERR, "{$class}::{$method}: {$thrown}\n");
                exit(1);
            }
            $passed++;
        }
    }
    echo "{$passed} passed\n";
}
