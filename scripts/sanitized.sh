# Sourced by scripts/test-asan and scripts/test-tsan: the whole suite, built for debugging, under a
# sanitizer of the compiler. Needs nothing but bash and a Swift toolchain with sanitizers.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Left out, because what they measure is not the product's under a sanitizer: memory, which is
# several times as much, and what fits into a second, which is a tenth.
left_out=(
    '^EndToEndTests\.(LoadTests|BigBodyTests|BackPressureTests|FaultTests)/'
    '^ClientLibTests\.NginxLoadTests/'
    # A sandbox that shows no /proc and little memory, without which a sanitizer does not begin.
    '^EndToEndTests\.SandboxTests/' '^ConfinementTests\.ConfinementTests/'
    # These look at sources and scripts and run no code of ours.
    '^TidyTests\.' '^ProxydTests\.(ScriptTests|UnitFileTests)/'
)

# Builds and runs every test under a sanitizer, or those that the arguments choose as for
# `swift test`. What any process says to its sanitizer is gathered, those included that tests
# start; each of these sayings is a failure.
test_sanitized() { # SANITIZER FOLDER ARGUMENT...
    local sanitizer=$1 flags=(--scratch-path "$root/.build/$2" "--sanitize=$1") result=0 pattern
    local cxx
    # The compiler links what the sanitizer has in place of malloc, and not of C++'s new: that
    # would be jemalloc's, whose memory the sanitizer's free does not know.
    cxx=$(sanitizers_part "$2_cxx")
    flags+=(-Xlinker --whole-archive -Xlinker "$cxx" -Xlinker --no-whole-archive)
    shift 2
    scripts/install-dependencies --test
    unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    export PATH="$PATH:/usr/sbin:/sbin"
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SANITIZED_WIDTH:-4}
    swift build "${flags[@]}" --build-tests
    reports=$(mktemp -d)
    trap 'rm -rf "$reports"' EXIT
    # What only the pointers of Swift's enums lead to looks lost to the search for leaks.
    export ASAN_OPTIONS="detect_leaks=0:log_path=$reports/address"
    export TSAN_OPTIONS="log_path=$reports/thread:suppressions=$root/scripts/tsan-suppressions"
    # Tests that measure memory, or crash a program, ask for it.
    export PROXYD_SANITIZED=$sanitizer
    local preloaded=()
    if [[ $sanitizer == thread ]]; then
        "$(clang_of_swift)" -O1 -shared -fPIC scripts/tsan-mutex.c -ldl \
            -o "$reports/tsan-mutex.so"
        preloaded=("LD_PRELOAD=$reports/tsan-mutex.so")
    fi
    run() {
        env "${preloaded[@]}" swift test --skip-build --disable-xctest "${flags[@]}" "$@" 2>&1 |
            tee -a "$reports/output" || result=1
    }
    if (($# > 0)); then
        run "$@"
    else
        local skips=()
        for pattern in "${left_out[@]}"; do
            skips+=(--skip "$pattern")
            say "left out: $pattern"
        done
        run --skip '^EndToEndTests\.' "${skips[@]}"
        run --filter '^EndToEndTests\.' "${skips[@]}"
    fi
    tell_reports "$sanitizer" || result=1
    if ((result != 0)); then
        grep --after-context=3 '^✘' "$reports/output" >&2 || true
        die "the suite does not pass under the $sanitizer sanitizer"
    fi
    say "passed; the $sanitizer sanitizer found nothing"
}

# The compiler for C that came with Swift.
clang_of_swift() {
    echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang"
}

# A library of the sanitizers' that is linked into programs.
sanitizers_part() { # NAME
    local path
    path=$("$(clang_of_swift)" -print-file-name="libclang_rt.$1-$(uname -m).a")
    [[ -f $path ]] || die "the toolchain has no library $1 of its sanitizers"
    echo "$path"
}

# Prints what was found; fails where that is anything.
tell_reports() { # SANITIZER
    local files=("$reports/address."* "$reports/thread."*) file found=0
    for file in "${files[@]}"; do
        [[ -f $file ]] || continue
        found=1
        head -n 200 "$file" >&2
    done
    ((found == 0)) || say "found by the $1 sanitizer: see above"
    return "$found"
}
