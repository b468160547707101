internal import ProxydEventLoops

extension DuplexStream {
    /// Whether the peer has said nothing that was not delivered, and has not ended. What it said is
    /// thrown away: a stream that is not silent is of no use.
    func isSilent() -> Bool {
        var hasSpoken = false
        let isOpen = takeArrived { _ in hasSpoken = true }
        return isOpen && !hasSpoken
    }
}
