internal import Dispatch
internal import ProxydEventLoops
internal import ProxydRules
internal import Synchronization

/// The scripts that rules may run, each with its programs. Safe on any thread.
final class ScriptDesk: Sendable {
    private let surroundings: ScriptSurroundings?
    private let hosts = Mutex<[String: ScriptHost]>([:])
    /// Contains every thread that runs a program.
    private let threads = DispatchGroup()

    /// - Parameter surroundings: The environment of scripts; nil if scripts are not run.
    init(_ surroundings: ScriptSurroundings?) { self.surroundings = surroundings }

    /// Replaces the scripts. Unchanged programs continue to run; the others are ended.
    /// - Parameter folder: The absolute path of the folder that contains the rules file.
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
    /// - Parameter done: Called with the result, on the loop.
    func ask(
        _ question: ScriptQuestion, on loop: EventLoop, _ done: @escaping (ScriptEnd) -> Void
    ) {
        let host = hosts.withLock { $0[question.point.call.script] }
        guard let host else { return done(.failed("the script no longer exists")) }
        let done = LoopBound(done, loop: loop)
        host.ask(question) { end in loop.execute { done.value(end) } }
    }

    /// Ends all programs, and returns once they have ended.
    func stop() {
        let left = hosts.withLock { hosts in
            defer { hosts = [:] }
            return Array(hosts.values)
        }
        for host in left { host.stop() }
        threads.wait()
    }
}
