import Foundation

/// A TCP server that sends back what it gets, to stand at the end of opaque tunnels.
final class EchoServer {
    let port: Int
    private let service: Service

    private static let script = """
        import asyncio, os, sys
        async def echo(reader, writer):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.close()
        async def main():
            server = await asyncio.start_server(echo, '127.0.0.1', 0)
            print(server.sockets[0].getsockname()[1], flush=True)
            asyncio.get_running_loop().run_in_executor(
                None, lambda: (sys.stdin.read(), os._exit(0)))
            await server.serve_forever()
        asyncio.run(main())
        """

    init() throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        service = try Service(python, ["-c", EchoServer.script])
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the echo server printed no port")
        }
        self.port = port
    }
}
