internal import Foundation
internal import Glibc

/// Files that only their owner reads: histories hold what was looked for.
enum PrivateDirectory {
    /// Makes a directory of mode 0700 where there is none.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw WorkFailure("\(path) cannot be made: nothing is remembered")
        }
    }

    /// Writes a file of mode 0600, whole or not at all.
    static func write(_ octets: [UInt8], to path: String) throws {
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw WorkFailure("\(path): \(String(cString: strerror(errno)))")
        }
        let temporary = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: Data(octets))
            try handle.close()
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            unlink(temporary)
            throw WorkFailure("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
