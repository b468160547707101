/// A set of file descriptors, as `protoc --descriptor_set_out` writes it.
public enum FileDescriptorSet {
    /// The bytes of each `FileDescriptorProto` in a `FileDescriptorSet`, in order. Throws for
    /// invalid bytes and for an empty set: `protoc` writes at least one file.
    public static func files(of bytes: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var reader = WireReader(bytes)
        var files: [[UInt8]] = []
        while let field = try reader.next(&budget) {
            guard field.number == 1, case .bytes(let content) = field.value else { continue }
            files.append(Array(bytes[content]))
        }
        if files.isEmpty { throw ProtobufError(.truncated, at: bytes.count) }
        return files
    }
}
