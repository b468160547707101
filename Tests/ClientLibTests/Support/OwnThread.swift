import Foundation

/// For work that waits on other programs: it must not hold a thread that other tests run on.
enum OwnThread {
    /// Does the work on a thread of its own.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
