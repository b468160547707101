/// The trailer section that gRPC-Web sends as a message: lines of `name: value`.
enum GRPCWebTrailers {
    /// The value of `grpc-message`, or nil if there is none.
    static func message(in bytes: [UInt8]) -> String? {
        let isEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
        for line in bytes.split(whereSeparator: isEnd) {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard String(decoding: name, as: UTF8.self).lowercased() == "grpc-message" else {
                continue
            }
            let value = line.dropFirst(name.count + 1).drop { $0 == UInt8(ascii: " ") }
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
