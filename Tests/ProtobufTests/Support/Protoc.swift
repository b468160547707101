import Foundation
import ProxydProtobuf

/// Debian's protoc and Python's protobuf: others who read the same.
enum Protoc {
    private static let path = "/usr/bin/protoc"
    private static let python = "/usr/bin/python3"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Oracle")

    static let isThere =
        FileManager.default.isExecutableFile(atPath: path)
        && FileManager.default.fileExists(atPath: "/usr/include/google/protobuf/any.proto")
    /// Whether messages can be had, too.
    static let isPythonThere =
        isThere && (try? run(python, ["-c", "import google.protobuf"])) != nil

    private struct Failed: Error { let program: String, status: Int32 }

    /// A message, and its JSON by the oracle.
    struct Case {
        let type: String
        let bytes: [UInt8]
        let json: String
    }

    /// The set that protoc writes of the files in `Oracle`, with what they import.
    static func descriptorSet(_ files: [String] = ["legacy.proto"]) throws -> [UInt8] {
        try inFolder { set in
            _ = try run(
                path,
                ["-I" + folder.path, "--include_imports", "--descriptor_set_out=" + set.path]
                    + files)
            return [UInt8](try Data(contentsOf: set))
        }
    }

    static func registry() throws -> DescriptorRegistry {
        DescriptorRegistry(
            try FileDescriptorSet.files(of: descriptorSet()).map(FileDescriptor.init))
    }

    /// Random messages of the types in the files.
    static func cases(seed: Int, count: Int) throws -> [Case] {
        try inFolder { set in
            try Data(descriptorSet()).write(to: set)
            let script = folder.appending(path: "oracle.py").path
            let output = try run(python, [script, set.path, "\(seed)", "\(count)"])
            return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
                let parts = $0.split(separator: "\t", omittingEmptySubsequences: false)
                guard parts.count == 3, let bytes = Data(base64Encoded: String(parts[1])) else {
                    return nil
                }
                return Case(
                    type: String(parts[0]), bytes: [UInt8](bytes), json: String(parts[2]))
            }
        }
    }

    private static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "proxyd-protoc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appending(path: "set"))
    }

    /// What a program prints. Through a file: a pipe would be full before it ends.
    private static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let output = FileManager.default.temporaryDirectory
            .appending(path: "proxyd-output-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(program: program, status: process.terminationStatus)
        }
        return try Data(contentsOf: output)
    }
}
