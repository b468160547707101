# Sourced by every script here: where things are, and how to say what goes wrong.
# Needs nothing but bash.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"

# A crashed Swift program would otherwise wait for a debugger's answer.
export SWIFT_BACKTRACE="${SWIFT_BACKTRACE:-enable=no}"

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
    say "$@"
    exit 1
}

program_names=(proxyd proxyctl proxyship)

# build_release [PROGRAM…]: builds these programs, or all, with the Swift library inside, so that
# one build serves running, installing and packaging. They have no DWARF: making it takes a tenth of
# the time, and the packages leave it out.
#
# The compiler sees this folder as /usr/src, because the order of some of its output depends on how
# long paths are. Where we may not mount, it sees the folder where it is. No path of the folder is in
# the programs either way. Where the compiler's output depends on random numbers or addresses, these
# are the same each time.
build_release() {
    local -x SWIFT_DETERMINISTIC_HASHING=1
    local folder=/usr/src mounts=(unshare --mount) name prefix=()
    # Root of a new user namespace could not write what other users own.
    ((EUID == 0)) || mounts+=(--map-root-user)
    if "${mounts[@]}" mount --rbind . "$folder" 2>/dev/null; then
        prefix=(
            "${mounts[@]}" bash -euc 'mount --rbind . "$0"; cd "$0"; exec "$@"' "$folder"
        )
    else
        folder=$root
    fi
    ! setarch --addr-no-randomize true 2>/dev/null || prefix+=(setarch --addr-no-randomize)
    (($# > 0)) || set -- "${program_names[@]}"
    for name; do
        "${prefix[@]}" swift build \
            --configuration release --static-swift-stdlib --disable-local-rpath \
            -debug-info-format none \
            -Xswiftc -file-prefix-map -Xswiftc "$folder=." -Xcc "-ffile-prefix-map=$folder=." \
            --product "$name"
    done
}

# Builds what Benchmarks/instructions.py counts; see the end of Package.swift.
build_counted_work() {
    PROXYD_COUNTED_WORK=1 build_release CountedWork
}

release_directory() {
    swift build --configuration release --show-bin-path
}

# The version that all programs have.
version_file=Sources/ProcessSetup/ProgramVersion.swift

program_version() {
    sed -n 's/.*let number = "\(.*\)"/\1/p' "$version_file"
}

# The pages whose manifest and version users copy.
getting_started=Sources/ClientLib/ClientLib.docc/GettingStarted.md
pages_with_manifest=(README.md docs/EMBEDDING.md "$getting_started")

# The file of a package that scripts/deb made.
package_file() { # FOLDER PROGRAM
    echo "$1/${2}_$(program_version)_$(dpkg --print-architecture).deb"
}

# A repository of one commit: the files here, with changes that no commit has yet.
make_repository() { # FOLDER
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
        tar --create --null --files-from=- | tar --extract --directory "$1"
    git -C "$1" init --quiet --initial-branch main
    git -C "$1" config user.name tests
    git -C "$1" config user.email tests@localhost
    git -C "$1" add --all
    git -C "$1" commit --quiet --message 'A version'
}

# build_nested PACKAGE [ARGUMENT…]: `swift build` of Benchmarks or Fuzz, which use modules of this
# package that are no products for others.
build_nested() {
    PROXYD_ALL_MODULES=1 swift build --package-path "$@"
}

# Where the programs of the package Benchmarks are.
benchmarks_directory() {
    build_nested Benchmarks --configuration release --show-bin-path
}

# Those of the named programs that are not there, in one line.
missing_programs() {
    local program missing=()
    for program; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    echo "${missing[*]}"
}

# Ends a script that lacks what it needs, visibly and without failing.
skip() {
    say "$@"
    exit 0
}

# make_once FOLDER PROGRAM…: has a program of Benchmarks fill a folder; it is kept for the next time,
# because making a million exchanges takes minutes.
make_once() {
    local folder=$1 program=$2
    shift 2
    [[ -d $folder ]] && return
    rm -rf "$folder.new"
    build_nested Benchmarks --configuration release --product "$program"
    "$(benchmarks_directory)/$program" "$folder.new" "$@"
    mv "$folder.new" "$folder"
}

# What the tests and benchmarks of the page run in: an environment with the Python packages of
# Tests/Browser, and Chromium. Fails where there is no browser or no Python package of what they need.
browser_environment=$root/.build/browser-tests

prepare_browser_environment() {
    command -v chromium >/dev/null || {
        say "there is no chromium"
        return 1
    }
    [[ -x $browser_environment/bin/python ]] || python3 -m venv "$browser_environment"
    "$browser_environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement Tests/Browser/requirements.txt || {
        say "the Python packages of Tests/Browser/requirements.txt cannot be installed"
        return 1
    }
}
