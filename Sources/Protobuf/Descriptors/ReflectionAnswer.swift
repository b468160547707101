/// An answer of gRPC server reflection: `grpc.reflection.v1.ServerReflectionResponse`, and the
/// `v1alpha` version, which has the same fields.
public enum ReflectionAnswer {
    /// The path endings of the reflection methods.
    private static let pathEnds = ["v1", "v1alpha"].map {
        Array("/grpc.reflection.\($0).ServerReflection/ServerReflectionInfo".utf8)
    }

    /// Whether a path denotes a reflection method.
    public static func isGiven(atPath path: ArraySlice<UInt8>) -> Bool {
        pathEnds.contains { path.count >= $0.count && path.suffix($0.count).elementsEqual($0) }
    }

    /// The file descriptors in an answer; empty for an answer to another query.
    public static func files(in bytes: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var files: [[UInt8]] = []
        var answer = WireReader(bytes)
        while let field = try answer.next(&budget) {
            guard field.number == 4, case .bytes(let content) = field.value else { continue }
            var response = WireReader(bytes, content)
            while let file = try response.next(&budget) {
                guard file.number == 1, case .bytes(let description) = file.value else { continue }
                files.append(Array(bytes[description]))
            }
        }
        return files
    }
}
