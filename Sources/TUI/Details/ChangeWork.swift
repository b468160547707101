internal import ProxydHTTPModel
internal import ProxydPresentation

/// Compares what was received in an exchange with what was forwarded instead.
enum ChangeWork {
    static let slot = "changes"

    /// The result of the comparison.
    struct Result: Sendable {
        let id: ExchangeID
        /// The messages that were changed before they were forwarded.
        let sections: [DiffSection]
        /// Whether the exchange had ended, so that the result is final.
        let isFinal: Bool
    }

    static func compare(_ id: ExchangeID) -> Work<DetailScreen.News> {
        Work(slot, on: .details, isQuiet: true) { context in
            let found = try context.exchanges.exchange(
                id, bodyByteCountMax: BodyLines.byteCountMax)
            guard let exchange = found else {
                throw WorkFailure("the exchange is no longer in the store")
            }
            let sections = try MessageChanges.sections(of: exchange, context.isCancelled)
            return .compared(
                Result(id: id, sections: sections, isFinal: exchange.state != .active))
        }
    }
}
