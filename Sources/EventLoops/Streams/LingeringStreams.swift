/// The streams of one loop that linger, the oldest first.
struct LingeringStreams {
    private var streams: [SocketStream] = []

    /// Takes one in; returns the one that has to go for it where there are too many.
    mutating func add(_ stream: SocketStream, countMax: Int) -> SocketStream? {
        streams.append(stream)
        return streams.count > max(1, countMax) ? streams.removeFirst() : nil
    }

    /// Lets one go that may be among them.
    mutating func remove(_ stream: SocketStream) {
        guard let place = streams.firstIndex(where: { $0 === stream }) else { return }
        streams.remove(at: place)
    }
}
