internal import ProxydEventLoops

extension DuplexStream {
    /// Whether the peer has sent nothing that was not delivered, and has not ended. Bytes that it
    /// sent are dropped: a stream that is not silent cannot be used.
    func isSilent() -> Bool {
        var hasSpoken = false
        let isOpen = takeArrived { _ in hasSpoken = true }
        return isOpen && !hasSpoken
    }
}
