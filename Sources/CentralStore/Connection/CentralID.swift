internal import ProxydHTTPModel

/// How one number names an exchange among all stores: the shipper's number, then the number in its
/// store. The latter stay below 2^34, which leaves 29 bits for shippers.
package enum CentralID {
    /// The bits of the number in the shipper's own store.
    package static let numberBits = ExchangeName.numberBits
    /// The number in the shipper's own store.
    package static let numberMask: Int64 = 1 << numberBits - 1
    /// The numbers that shippers can have.
    package static let shipperNumbers: Range<Int64> = 1..<(1 << 29)

    /// The number of an exchange in the central store.
    package static func id(shipper: Int64, number: Int64) -> Int64 {
        shipper << numberBits | (number & numberMask)
    }

    /// The number of the shipper.
    package static func shipper(of id: Int64) -> Int64 { id >> numberBits }

    /// The number in the shipper's own store.
    package static func number(of id: Int64) -> Int64 { id & numberMask }
}
