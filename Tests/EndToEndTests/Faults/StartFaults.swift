import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F36: a daemon that cannot start, or in odd surroundings.
    struct StartFaults {
        /// What the shell does before it becomes the daemon, `$@`; `$D` is a folder of its own.
        /// Some need a mount namespace, some strace.
        private struct Case {
            let name: String
            let script: String
            /// Whether it is to start all the same.
            var starts = false
            var needsMounts = false
            var needsTracing = false
            /// A sanitizer does not begin everywhere, and may have a thread of its own.
            var isForSanitizers = true
            /// Words that its cause is to have.
            var says: String?

            var canRun: Bool {
                (!needsMounts || SmallDisk.canMount) && (!needsTracing || FaultNeeds.canTrace)
                    && (isForSanitizers || !Sanitizer.isThere)
            }
        }

        private static let run = "exec \"$@\" --data-dir \"$D/data\""

        private static let cases: [Case] = [
            Case(name: "the data directory is a file", script: "touch \"$D/data\"; \(run)"),
            Case(
                name: "the data directory cannot be made",
                script: "touch \"$D/file\"; exec \"$@\" --data-dir \"$D/file/data\""),
            Case(name: "the configuration is not there", script: "\(run) --config \"$D/none\""),
            Case(name: "the configuration is a folder", script: "\(run) --config \"$D\""),
            Case(
                name: "bytes as configuration",
                script: "head -c 5000 /dev/urandom >\"$D/c\"; \(run) --config \"$D/c\""),
            Case(
                name: "an address that all can reach", script: "\(run) --listen 192.0.2.1:1"),
            Case(name: "a port that is taken", script: "\(run) --listen 127.0.0.1:$TAKEN"),
            Case(
                name: "the authority's key is missing",
                script: "\(make); rm \"$D/data/ca/\"*key*; \(run)"),
            Case(
                name: "the authority's key is no key",
                script: "\(make); for f in \"$D/data/ca/\"*key*; do echo no >$f; done; \(run)"),
            Case(
                name: "the authority's key is open to all",
                script: "\(make); chmod 644 \"$D/data/ca/\"*key*; \(run)"),
            Case(
                name: "the authority's certificate is cut",
                script: "\(make); head -c 100 \"$D/data/ca/ca.pem\" >\"$D/c\"; "
                    + "cat \"$D/c\" >\"$D/data/ca/ca.pem\"; \(run)"),
            Case(
                name: "the key is another authority's",
                script: "\(make); mv \"$D/data\" \"$D/other\"; \(make); "
                    + "for f in \"$D/other/ca/\"*key*; do cp $f \"$D/data/ca/\"; done; \(run)"),
            Case(
                name: "a read-only disk",
                script: "mkdir \"$D/data\"; "
                    + "mount -t tmpfs -o ro tmpfs \"$D/data\"; \(run)", needsMounts: true),
            Case(
                name: "a full disk",
                script: "mkdir \"$D/data\"; "
                    + "mount -t tmpfs -o size=16k tmpfs \"$D/data\"; "
                    + "head -c 20000 /dev/zero >\"$D/data/x\"; \(run)", needsMounts: true),
            Case(name: "HOME is not set", script: "unset HOME; \(run)", starts: true),
            Case(name: "the C locale", script: "export LC_ALL=C; \(run)", starts: true),
            Case(
                name: "the working directory is gone",
                script: "mkdir \"$D/w\"; cd \"$D/w\"; rmdir \"$D/w\"; \(run)", starts: true),
            Case(name: "umask 000", script: "umask 000; \(run)", starts: true),
            Case(name: "umask 777", script: "umask 777; \(run)", starts: true),
            Case(
                name: "no /proc", script: "mount -t tmpfs tmpfs /proc; \(run)",
                needsMounts: true, isForSanitizers: false),
            Case(
                name: "no threads", script: withoutThreads(from: 1), needsTracing: true,
                says: "a thread for the recorder"),
            Case(
                name: "no more threads", script: withoutThreads(from: 3), needsTracing: true,
                isForSanitizers: false, says: "a thread for an event loop"),
        ]

        /// The system refuses threads from one on; the allocator's is the first, the recorder's
        /// the second.
        private static func withoutThreads(from number: Int) -> String {
            "strace -D -f -qq -o /dev/null -e trace=clone3 "
                + "-e inject=clone3:error=EAGAIN:when=\(number)+ \"$@\" --data-dir \"$D/data\""
        }

        /// A daemon that starts and is ended, for what it leaves behind.
        private static let make =
            ": >\"$D/out\"; \"$@\" --data-dir \"$D/data\" >>\"$D/out\" 2>&1 & p=$!; "
            + "while kill -0 $p && ! grep -q listening \"$D/out\"; do sleep 0.02; done; "
            + "kill $p; wait $p"

        @Test
        func `proxyd starts with private files under any umask, and reports why it cannot start`()
            throws
        {
            let other = try Origin()
            var problems: [String] = []
            var tried = 0
            for fault in Self.cases where fault.canRun {
                tried += 1
                let folder = try ScratchFolder()
                guard let outcome = try? start(fault, folder, takenPort: other.port) else {
                    problems.append("\(fault.name): it does not end")
                    continue
                }
                let lines = outcome.errors.split(separator: "\n").filter { !$0.isEmpty }
                if fault.starts {
                    if outcome.status != 0 || !outcome.text.contains("proxyd: listening on") {
                        problems.append("\(fault.name): \(outcome.status) \(outcome.errors)")
                    }
                } else if ![1, 64, 78].contains(outcome.status) || !(1...6).contains(lines.count) {
                    problems.append("\(fault.name): \(outcome.status) \(outcome.errors)")
                } else if let words = fault.says, !outcome.errors.contains(words) {
                    problems.append("\(fault.name): \(outcome.errors)")
                }
                let data = folder.path + "/data"
                if FileManager.default.fileExists(atPath: data + "/control.sock") {
                    problems.append("\(fault.name): a socket is left")
                }
                // The authority's certificate is for everybody, its key is not.
                let certificate = data + "/ca/ca.pem"
                let found = try Tool.run(
                    "find", [data, "-type", "f", "-perm", "/077", "!", "-path", certificate])
                if fault.starts, !found.text.isEmpty {
                    problems.append("\(fault.name): \(found.text)")
                }
            }
            #expect(problems == [], "\(problems.joined(separator: "\n"))")
            FaultReport.add(
                "F36", "what may be wrong when it starts",
                bar: "a plain cause and an exit status, nothing half-written",
                reached: "\(tried) cases, \(problems.count) problems", isReached: problems.isEmpty)
        }

        /// Runs the daemon until it has said that it listens, then ends it.
        private func start(
            _ fault: Case, _ folder: ScratchFolder, takenPort: Int
        ) throws -> Tool.Outcome {
            // The daemon ends by SIGTERM, which timeout turns into 124 unless told not to.
            let begin = """
                D=\(folder.path)/d; TAKEN=\(takenPort)
                mkdir "$D"; ln -s d/data "\(folder.path)/data"
                ( \(fault.script) ) >"$D/stdout" 2>"$D/stderr" & pid=$!
                n=0
                while kill -0 $pid 2>/dev/null && [ $n -lt 1500 ]; do
                    if grep -q 'proxyd: listening' "$D/stdout"; then kill $pid; break; fi
                    n=$((n + 1)); sleep 0.02
                done
                wait $pid; status=$?
                cat "$D/stdout"; cat "$D/stderr" >&2; exit $status
                """
            let command = ["/bin/sh", "-c", begin, "sh", try Tool.built("proxyd")]
            let arguments = fault.script.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
            if fault.needsMounts {
                return try Tool.run("unshare", ["-rm"] + command + arguments, seconds: 60)
            }
            return try Tool.run("/bin/sh", Array(command.dropFirst()) + arguments, seconds: 60)
        }
    }
}
