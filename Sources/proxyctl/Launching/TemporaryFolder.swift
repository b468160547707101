internal import FoundationEssentials
internal import Glibc

/// A private folder that exists as long as this process at most: a shell that outlives it removes
/// the folder, whatever ends the process, and ends the daemon that works in it.
final class TemporaryFolder {
    let path: String
    private let keeper: Keeper
    private var isOpen = true

    /// Creates a folder.
    init() throws {
        path = try ServeSource.makeDirectory(prefix: "proxyctl-run")
        keeper = try TemporaryFolder.startKeeper(path)
    }

    /// The shell, and what tells it how this process ended.
    private struct Keeper {
        let shell: pid_t
        let pipeEnd: Int32
    }

    deinit { remove() }

    /// The shell waits for lines from this process: the ids of daemons, each as it starts or has
    /// ended, and at last the word `done`. Without that word the process was killed.
    private static let script = """
        trap '' HUP INT TERM QUIT PIPE
        running=
        while read word id; do
            case $word in
            started) running=$id ;;
            ended) running= ;;
            done) break ;;
            esac
        done
        if [ -n "$running" ]; then
            kill "$running"
            tries=0
            while kill -0 "$running" && [ $tries -lt 50 ]; do
                sleep 0.1
                tries=$((tries + 1))
            done
        fi
        rm -rf -- "$1"
        """

    private static func startKeeper(_ path: String) throws -> Keeper {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure(String(cString: strerror(errno)))
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        do {
            let shell = try ChildProgram(
                ["/bin/sh", "-c", script, "sh", path], environment: ["PATH": "/usr/bin:/bin"],
                streams: .init(input: ends[0]), hasOwnGroup: true)
            return Keeper(shell: shell.pid, pipeEnd: ends[1])
        } catch {
            close(ends[1])
            throw error
        }
    }

    /// Notes that a daemon runs, or no longer does.
    func note(_ event: Event, _ child: ChildProgram) { say("\(event.rawValue) \(child.pid)\n") }

    /// What is noted of a daemon.
    enum Event: String {
        case started
        case ended
    }

    private func say(_ line: String) {
        let bytes = Array(line.utf8)
        _ = write(keeper.pipeEnd, bytes, bytes.count)
    }

    /// Removes the folder.
    func remove() {
        guard isOpen else { return }
        isOpen = false
        try? FileManager.default.removeItem(atPath: path)
        say("done\n")
        close(keeper.pipeEnd)
        _ = ChildProgram.reap(keeper.shell, within: .seconds(2))
    }
}
