internal import Glibc
internal import Synchronization

/// Passes bytes on immediately, and stores the first error.
final class HandingSink: ByteSink {
    private let take: @Sendable ([UInt8]) throws -> Void
    private let firstError = Mutex<(any Error)?>(nil)

    init(_ take: @escaping @Sendable ([UInt8]) throws -> Void) { self.take = take }

    /// The first error, or nil if all bytes were passed on.
    var error: (any Error)? { firstError.withLock { $0 } }

    func write(_ bytes: [UInt8]) {
        guard error == nil else { return }
        do {
            try take(bytes)
        } catch {
            firstError.withLock { $0 = error }
        }
    }

    func flush() {}

    var failure: Int32? { error == nil ? nil : EIO }
}
