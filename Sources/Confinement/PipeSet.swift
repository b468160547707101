internal import Glibc
internal import ProxydCLinuxConfinement

/// Three pipes between a program and its parent.
struct PipeSet {
    /// The program's ends: input, output and errors.
    let theirs: [Int32]
    /// The parent's ends, which are non-blocking.
    let ours: (input: Int32, output: Int32, errors: Int32)

    init() throws(ConfinementFailure) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard clinuxconfinement_pipe(&ends) == 0 else {
                let failure = ConfinementFailure(errnoOf: "a pipe")
                for end in pipes.joined() { close(end) }
                throw failure
            }
            pipes.append(ends)
        }
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = (pipes[0][1], pipes[1][0], pipes[2][0])
        for end in [ours.input, ours.output, ours.errors] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    func closeTheirs() { for end in theirs { close(end) } }

    func closeOurs() { for end in [ours.input, ours.output, ours.errors] { close(end) } }
}
