/// The streams of one loop that linger, the oldest first.
///
/// Those we opened go first: hundreds of idle server connections may be closed at once, while a
/// client that was accepted may still have to read why its upload was refused.
struct LingeringStreams {
    private var opened: [SocketStream] = []
    private var accepted: [SocketStream] = []

    /// Takes one in; returns the one that has to go for it where there are too many. That may be
    /// the new one.
    mutating func add(_ stream: SocketStream, countMax: Int) -> SocketStream? {
        switch stream.origin {
        case .opened: opened.append(stream)
        case .accepted: accepted.append(stream)
        }
        guard opened.count + accepted.count > max(1, countMax) else { return nil }
        return opened.isEmpty ? accepted.removeFirst() : opened.removeFirst()
    }

    /// Lets one go that may be among them.
    mutating func remove(_ stream: SocketStream) {
        switch stream.origin {
        case .opened: opened.removeAll { $0 === stream }
        case .accepted: accepted.removeAll { $0 === stream }
        }
    }
}
