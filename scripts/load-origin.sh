# Sourced by scripts that send planned traffic through a release build.

servers=Tests/EndToEndTests/Servers

# Sees to PROXYD_PROGRAMS: a folder with a release build, unless it names one.
need_programs() {
    unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
    [[ -z ${PROXYD_PROGRAMS:-} ]] || return 0
    scripts/install-dependencies --test
    build_release
    PROXYD_PROGRAMS=$(release_directory)
}

# Makes a folder, `work`, that goes with the script, in it a certificate, and starts the origin of
# Tests/EndToEndTests/Servers/load_origin.py, which answers on `ports` (plain, TLS).
start_origin() {
    work=$(mktemp -d)
    trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
    local addresses
    addresses=$(printf ',IP:127.0.0.%s' $(seq 1 40))
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost \
        -addext "subjectAltName=DNS:localhost$addresses" \
        -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
    : >"$work/origin"
    # The origin ends with its standard input, which nobody writes to.
    mkfifo "$work/hold"
    exec 3<>"$work/hold"
    python3 -B "$servers/load_origin.py" --tls "$work/cert.pem" "$work/key.pem" \
        >"$work/origin" <"$work/hold" &
    read -r -a ports <<<"$(first_line "$work/origin")"
}

# Waits for the first line of a file and prints it.
first_line() { # FILE
    local try
    for ((try = 0; try < 300; try++)); do
        [[ $(wc -l <"$1") -eq 0 ]] || break
        sleep 0.1
    done
    head -n 1 "$1"
}
