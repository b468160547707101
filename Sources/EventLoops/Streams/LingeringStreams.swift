/// The lingering streams of one loop, the oldest first.
///
/// Outgoing connections are dropped first: hundreds of idle server connections may be closed at the
/// same time, while an accepted client may still have to read why its upload was refused.
struct LingeringStreams {
    private var opened: [SocketStream] = []
    private var accepted: [SocketStream] = []

    /// Adds a stream; returns the stream to close if there are too many. That may be the new one.
    mutating func add(_ stream: SocketStream, countMax: Int) -> SocketStream? {
        switch stream.origin {
        case .opened: opened.append(stream)
        case .accepted: accepted.append(stream)
        }
        guard opened.count + accepted.count > max(1, countMax) else { return nil }
        return opened.isEmpty ? accepted.removeFirst() : opened.removeFirst()
    }

    /// Removes a stream if it is among them.
    mutating func remove(_ stream: SocketStream) {
        switch stream.origin {
        case .opened: opened.removeAll { $0 === stream }
        case .accepted: accepted.removeAll { $0 === stream }
        }
    }
}
