internal import ProxydEventLoops

extension DuplexStream {
    /// Whether the peer has not ended and no undelivered bytes have arrived. Any such bytes are
    /// dropped: a stream that is not silent cannot be used.
    func isSilent() -> Bool {
        var hasSpoken = false
        let isOpen = takeArrived { _ in hasSpoken = true }
        return isOpen && !hasSpoken
    }
}
