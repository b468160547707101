/// What a server says of itself: `grpc.reflection.v1.ServerReflectionResponse`, and that of
/// `v1alpha`, which has the same fields.
public enum ReflectionAnswer {
    /// The services that answer so.
    private static let services: Set = [
        "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
    ]

    /// Whether the answers of the method at a path are reflection's.
    public static func isGiven(atPath path: String) -> Bool {
        guard let name = MethodName(path: path) else { return false }
        return services.contains(name.service) && name.method == "ServerReflectionInfo"
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
