import Foundation

/// A new pipe, which programs that other tests start do not inherit: one of them could keep it
/// open.
public struct PipeEnds: Sendable {
    /// The end to read from.
    public let reading: Int32
    /// The end to write to.
    public let writing: Int32

    /// Opens a pipe; whoever uses it closes its ends.
    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}
