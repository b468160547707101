public import ProxydCaptureModel

/// A format that exchanges are exported in, one after the other.
public protocol ExchangeWriting {
    /// What stands in front of the first exchange.
    mutating func beginning() -> [UInt8]
    /// The octets of the next exchange.
    mutating func octets(of exchange: CapturedExchange) -> [UInt8]
    /// What stands behind the last exchange.
    mutating func ending() -> [UInt8]
}
