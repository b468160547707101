internal import ProxydExchangeContent
package import ProxydHTTPModel
package import ProxydParameterCoding

/// Names of exchanges in JSON: a number where the store recorded them itself, the text
/// `STORE:NUMBER` in a store of many stores.
package enum ExchangeNameJSON {
    /// An exchange of a store whose rows have this `storeName`; null for none.
    package static func value(_ id: ExchangeID?, in storeName: String?) -> JSONValue {
        guard let id else { return .null }
        guard storeName != nil else { return .integer(id.rawValue) }
        return .string(ExchangeName(id, in: storeName).description)
    }

    /// An exchange with a name from `ExchangeReading.name(of:)`.
    package static func value(_ name: String) -> JSONValue {
        Int64(name).map(JSONValue.integer) ?? .string(name)
    }

    /// Reads a member that these functions wrote: the number of an exchange in a file, unique in
    /// it. Nil if there is none.
    static func number(_ value: JSONValue?) -> Int64? {
        guard let text = value?.text else { return value?.integer }
        guard let name = ExchangeName(text), let storeName = name.storeName else { return nil }
        // FNV-1a, so that equal numbers of different stores differ.
        let hash = storeName.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let store = Int64(truncatingIfNeeded: hash) << ExchangeName.numberBits
        return (store ^ name.number) & .max
    }
}
