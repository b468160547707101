internal import Dispatch
internal import ProxydEventLoops
internal import ProxydRules
internal import Synchronization

/// The scripts that rules may ask, each with its programs. On any thread.
final class ScriptDesk: Sendable {
    private let surroundings: ScriptSurroundings?
    private let hosts = Mutex<[String: ScriptHost]>([:])
    /// Has in it every thread that has a program.
    private let threads = DispatchGroup()

    /// - Parameter surroundings: nil where no script is run.
    init(_ surroundings: ScriptSurroundings?) { self.surroundings = surroundings }

    /// Puts scripts in force. A program that is the same goes on; those of others end.
    /// - Parameter folder: Where the file is that names them, an absolute path.
    func use(_ scripts: [RuleScript], in folder: String) {
        guard let surroundings else { return }
        let left = hosts.withLock { hosts in
            var next: [String: ScriptHost] = [:]
            for script in scripts {
                let former = hosts[script.name]
                let isSame = former?.program == script.program && former?.folder == folder
                if isSame, let former {
                    former.timeoutMilliseconds = script.timeoutMilliseconds
                    next[script.name] = former
                    hosts[script.name] = nil
                } else {
                    next[script.name] = ScriptHost(
                        script, in: folder, surroundings, threads: threads)
                }
            }
            defer { hosts = next }
            return Array(hosts.values)
        }
        for host in left { host.stop() }
    }

    /// Asks a script about a message.
    /// - Parameter done: Hears what came of it, on the loop.
    func ask(
        _ question: ScriptQuestion, on loop: EventLoop, _ done: @escaping (ScriptEnd) -> Void
    ) {
        let host = hosts.withLock { $0[question.point.call.script] }
        guard let host else { return done(.failed("there is no such script any more")) }
        let done = LoopBound(done, loop: loop)
        host.ask(question) { end in loop.execute { done.value(end) } }
    }

    /// Ends all programs, and returns when they have ended.
    func stop() {
        let left = hosts.withLock { hosts in
            defer { hosts = [:] }
            return Array(hosts.values)
        }
        for host in left { host.stop() }
        threads.wait()
    }
}
