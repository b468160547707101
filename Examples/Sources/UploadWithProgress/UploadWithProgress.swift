import ClientLib

/// Uploads a file in a form, tells how far it is, and sends it again where the server is busy.
///
/// `UploadWithProgress URL FILE [NAME=VALUE…]`; names and values become fields of the form.
@main
struct UploadWithProgress {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { throw Usage() }
        let (url, path) = (arguments[0], arguments[1])
        let fields = try arguments.dropFirst(2).map(Field.init)

        // A POST is not sent again unless told that this one may be.
        var policy = RetryPolicy(retryLimit: 3)
        policy.retryableHTTPMethods.insert(.post)
        policy.exponentialBackoffScale = 0.1
        let session = Session(interceptor: policy)
        defer { session.shutdown() }

        let request = session.upload(
            multipartFormData: { form in
                for field in fields { form.append(field.value, name: field.name) }
                // The file is read while it is sent, once for each attempt.
                try form.append(fileAt: path, name: "file")
            }, to: url
        )
        .validate()
        .uploadProgress { progress in
            let percent = Int(progress.fractionCompleted * 100)
            print("\(percent) %: \(progress.completedByteCount) bytes")
        }

        let answer = try await request.serializingString().value
        print("the server says: \(answer)")
        print("sent \(request.retryCount + 1) times, \(request.timeline.totalDuration) in all")
    }

    struct Field {
        let name: String
        let value: String

        init(_ argument: String) throws {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Usage() }
            (name, value) = (String(parts[0]), String(parts[1]))
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "usage: UploadWithProgress URL FILE [NAME=VALUE...]"
    }
}
