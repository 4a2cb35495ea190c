#!/bin/sh
# Makes the Python code of the wire from the .proto files, into the SDK.
#
#   proto/generate.sh            write sdk/src/dominobot/wire/v1/
#   proto/generate.sh --check    write nothing; exit 1 if the committed code differs
#
# The generator has an environment of its own, .venv-proto, made here when it is missing: grpcio-tools
# 1.76.0 cannot be installed beside protobuf 7, while the code it writes loads on protobuf 6.31.1 and
# later and on protobuf 7. Give another interpreter by PYTHON=... .
set -eu

grpcio_tools=1.76.0
mypy_protobuf=5.1.0

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv-proto
target=$root/sdk/src
package=dominobot/wire/v1

if [ ! -x "$venv/bin/protoc-gen-mypy_grpc" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        "grpcio-tools==$grpcio_tools" "mypy-protobuf==$mypy_protobuf"
fi
found=$("$venv/bin/python" -c 'from importlib.metadata import version; print(version("grpcio-tools"), version("mypy-protobuf"))')
if [ "$found" != "$grpcio_tools $mypy_protobuf" ]; then
    echo "error: $venv holds grpcio-tools and mypy-protobuf $found, not $grpcio_tools $mypy_protobuf; remove it and run again" >&2
    exit 2
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
# The plugins are found by PATH.
PATH=$venv/bin:$PATH "$venv/bin/python" -m grpc_tools.protoc \
    --proto_path="$root/proto" \
    --python_out="$fresh" --grpc_python_out="$fresh" --mypy_out="quiet:$fresh" --mypy_grpc_out="quiet:$fresh" \
    "$package/match.proto"

status=0
for file in match_pb2.py match_pb2.pyi match_pb2_grpc.py match_pb2_grpc.pyi; do
    if [ "${1:-}" = --check ]; then
        if ! cmp -s "$fresh/$package/$file" "$target/$package/$file"; then
            echo "sdk/src/$package/$file is not what the .proto files give; run proto/generate.sh" >&2
            status=1
        fi
    else
        cp "$fresh/$package/$file" "$target/$package/$file"
    fi
done
exit $status
