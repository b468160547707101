public import ProxydHTTPModel

/// The position of a row in a sorted list, from which `ExchangeReading.positions` continues. The
/// value beside the number is internal to the store; only stores create and compare positions.
public struct ListPosition: Sendable, Hashable {
    /// The value that is compared; a row without one sorts last in both directions.
    package enum Value: Sendable, Hashable {
        /// A number, compared by size.
        case integer(Int64)
        /// A text, compared byte by byte.
        case text(String)
    }

    /// The row's value in the sort column.
    package let value: Value?
    /// The number of the row's exchange.
    public let id: ExchangeID

    /// Creates a position.
    package init(value: Value?, id: ExchangeID) {
        self.value = value
        self.id = id
    }
}
