public import ProxydCaptureModel
public import ProxydExchangeContent

/// A format for exporting exchanges one after another: `opening(of:)` for an exchange,
/// `bytes(of:in:)` for each batch of its messages, and `closing()`.
public protocol ExchangeWriting {
    /// The bytes before the first exchange.
    mutating func beginning() -> [UInt8]
    /// The bytes of the next exchange up to its messages.
    mutating func opening(of exchange: CapturedExchange) -> [UInt8]
    /// The bytes of the exchange's next messages.
    mutating func bytes(of messages: [ExportedMessage], in exchange: CapturedExchange) -> [UInt8]
    /// The bytes that end the exchange.
    mutating func closing() -> [UInt8]
    /// The bytes after the last exchange.
    mutating func ending() -> [UInt8]
    /// Whether the format can hold messages of an exchange.
    func holdsMessages(of exchange: CapturedExchange) -> Bool
    /// The number of exchanges that could not be written as what the format consists of.
    var withoutCommandCount: Int { get }
}

extension ExchangeWriting {
    /// The bytes of the next exchange without its messages.
    public mutating func bytes(of exchange: CapturedExchange) -> [UInt8] {
        opening(of: exchange) + closing()
    }

    /// Returns nothing: by default a format holds no messages.
    public mutating func bytes(
        of messages: [ExportedMessage], in exchange: CapturedExchange
    ) -> [UInt8] { [] }

    /// Returns nothing: by default an exchange needs no closing.
    public mutating func closing() -> [UInt8] { [] }

    /// Returns false; formats that hold messages override it.
    public func holdsMessages(of exchange: CapturedExchange) -> Bool { false }

    /// 0: by default every exchange can be written.
    public var withoutCommandCount: Int { 0 }
}
