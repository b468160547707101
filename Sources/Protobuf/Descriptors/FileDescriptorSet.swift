/// Several descriptions of files, as `protoc --descriptor_set_out` writes them.
public enum FileDescriptorSet {
    /// The bytes of each `FileDescriptorProto` of a `FileDescriptorSet`, in their order. What is
    /// none, and a set without files, throws: `protoc` writes one file at least.
    public static func files(of octets: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var reader = WireReader(octets)
        var files: [[UInt8]] = []
        while let field = try reader.next(&budget) {
            guard field.number == 1, case .bytes(let content) = field.value else { continue }
            files.append(Array(octets[content]))
        }
        if files.isEmpty { throw ProtobufError(.truncated, at: octets.count) }
        return files
    }
}
