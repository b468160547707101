public import ProxydHTTPModel

/// Where a row stands in a sorted list: what `ExchangeReading.positions` goes on from. What it
/// holds beside the number is the store's own business; only stores make and compare positions.
public struct ListPosition: Sendable, Hashable {
    /// What is compared; nil where the row has no such thing, which comes last in any direction.
    package enum Value: Sendable, Hashable {
        /// Numbers by size.
        case integer(Int64)
        /// Texts octet by octet.
        case text(String)
    }

    /// What the column says.
    package let value: Value?
    /// The exchange.
    public let id: ExchangeID

    /// A place among rows.
    package init(value: Value?, id: ExchangeID) {
        self.value = value
        self.id = id
    }
}
