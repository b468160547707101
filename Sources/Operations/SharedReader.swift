package import ProxydCaptureModel
internal import Synchronization

/// Keeps the store open between requests, and opens it again when its file was replaced.
package final class SharedReader: Sendable {
    private struct Opened {
        let reader: any ExchangeReading
        let identity: UInt64?
    }

    private let openStore: @Sendable () throws -> any ExchangeReading
    private let storeIdentity: @Sendable () -> UInt64?
    private let opened = Mutex<Opened?>(nil)

    /// - Parameter storeIdentity: Tells the store's file apart from one that replaces it.
    package init(
        _ openStore: @escaping @Sendable () throws -> any ExchangeReading,
        storeIdentity: @escaping @Sendable () -> UInt64?
    ) {
        self.openStore = openStore
        self.storeIdentity = storeIdentity
    }

    package func reader() throws(AnswerProblem) -> any ExchangeReading {
        let identity = storeIdentity()
        if let opened = opened.withLock({ $0 }), opened.identity == identity {
            return opened.reader
        }
        do {
            let reader = try openStore()
            opened.withLock { $0 = Opened(reader: reader, identity: identity) }
            return reader
        } catch {
            opened.withLock { $0 = nil }
            throw AnswerProblem(.unavailable, "\(error)")
        }
    }

    /// Reads the store; the read ends when it is cancelled.
    package func read<Value>(
        _ cancellation: ReadCancellation = ReadCancellation(),
        _ body: (any ExchangeReading) throws(StoreError) -> Value
    ) throws -> Value {
        let reader = try reader()
        do {
            return try cancellation.run { () throws(StoreError) in try body(reader) }
        } catch let error as StoreError {
            throw AnswerProblem(error)
        }
    }
}

/// Why a question about the store has no answer.
package struct AnswerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case invalid
        /// There is no such exchange.
        case missing
        /// The captured data does not allow it.
        case conflict
        case cancelled
        /// The store cannot be read, or does not exist yet.
        case unavailable
    }

    package let kind: Kind
    package let description: String
    /// The column of a filter that is wrong, from 1; nil for other problems.
    package let column: Int?

    package init(_ kind: Kind, _ description: String, column: Int? = nil) {
        self.kind = kind
        self.description = description
        self.column = column
    }

    package init(_ error: StoreError) {
        let kind: Kind =
            switch error {
            case .notFound, .missing: .missing
            case .notPermitted: .invalid
            case .cancelled: .cancelled
            case .directory, .busy, .newerSchema, .foreignFile, .sqlite, .central, .full, .noThread,
                .stopped:
                .unavailable
            }
        self.init(kind, error.description)
    }
}
