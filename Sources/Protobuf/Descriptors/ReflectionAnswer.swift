/// What a server says of itself: `grpc.reflection.v1.ServerReflectionResponse`, and that of
/// `v1alpha`, which has the same fields.
public enum ReflectionAnswer {
    /// How the paths end whose answers are reflection's.
    private static let pathEnds = ["v1", "v1alpha"].map {
        Array("/grpc.reflection.\($0).ServerReflection/ServerReflectionInfo".utf8)
    }

    /// Whether the answers of the method at a path are reflection's.
    public static func isGiven(atPath path: ArraySlice<UInt8>) -> Bool {
        pathEnds.contains { path.count >= $0.count && path.suffix($0.count).elementsEqual($0) }
    }

    /// The descriptions of files in an answer; none in an answer to another question.
    public static func files(in octets: [UInt8]) throws(ProtobufError) -> [[UInt8]] {
        var budget = ReadingBudget(ProtobufLimits())
        var files: [[UInt8]] = []
        var answer = WireReader(octets)
        while let field = try answer.next(&budget) {
            guard field.number == 4, case .bytes(let content) = field.value else { continue }
            var response = WireReader(octets, content)
            while let file = try response.next(&budget) {
                guard file.number == 1, case .bytes(let description) = file.value else { continue }
                files.append(Array(octets[description]))
            }
        }
        return files
    }
}
