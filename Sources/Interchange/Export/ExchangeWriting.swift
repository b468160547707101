public import ProxydCaptureModel

/// A format that exchanges are exported in, one after the other: `opening(of:)` of an exchange,
/// some of its messages as often as there are any, and `closing()`.
public protocol ExchangeWriting {
    /// What stands in front of the first exchange.
    mutating func beginning() -> [UInt8]
    /// The octets of the next exchange as far as its messages.
    mutating func opening(of exchange: CapturedExchange) -> [UInt8]
    /// The octets of the exchange's next messages.
    mutating func octets(of messages: [ExportedMessage], in exchange: CapturedExchange) -> [UInt8]
    /// What ends the exchange.
    mutating func closing() -> [UInt8]
    /// What stands behind the last exchange.
    mutating func ending() -> [UInt8]
    /// Whether it holds messages of an exchange.
    func holdsMessages(of exchange: CapturedExchange) -> Bool
}

extension ExchangeWriting {
    /// The octets of the next exchange without its messages.
    public mutating func octets(of exchange: CapturedExchange) -> [UInt8] {
        opening(of: exchange) + closing()
    }

    /// None.
    public mutating func octets(
        of messages: [ExportedMessage], in exchange: CapturedExchange
    ) -> [UInt8] { [] }

    /// Nothing.
    public mutating func closing() -> [UInt8] { [] }

    /// No format has them but those that say so.
    public func holdsMessages(of exchange: CapturedExchange) -> Bool { false }
}
