# shellcheck shell=bash
# ./build.sh build and size: from sources to pkg/dist, target/site and the command. What has not changed is skipped.
set -Eeuo pipefail

# What stable Rust's wasm32-unknown-unknown has on by default, with SIMD: the tools must neither refuse nor lose it.
WASM_FEATURES=(--enable-simd --enable-bulk-memory --enable-bulk-memory-opt --enable-nontrapping-float-to-int
    --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue
    --enable-call-indirect-overlong)
# The modules: the binary each is compiled to, its name in the package, and whether it comes in two parts.
MODULES=("ibid-search ibid --parts" "ibid-ask ibid_ask --parts" "ibid-build ibid_build" "ibid-engines ibid_engines")
# The languages that have a module which stems their words; the module that searches stems English itself.
STEMMED=(ar da de el es "fi" fr hu it nl no pt ro ru sv ta tr)
COMPILED="$ROOT/target/wasm32-unknown-unknown/module"
DIST="$ROOT/pkg/dist"
SITE="$ROOT/target/site"
STAMPS="$ROOT/target/stamps"
PAGES="$ROOT/tools/site/work"
# The modules with the names of their functions.
NAMED="$ROOT/target/wasm-names"
BINDER="$ROOT/target/tool/ibid-bind"
WASM_OPT="$ROOT/tools/build/node_modules/.bin/wasm-opt"
# What npm and pip install.
PACKAGES="$ROOT/target/packages"

# The command compiles next to the modules, whose last step is one thread each.
build() {
    stage_pages
    beside make_index
    make_package
    join
    if stale "$STAMPS/pages" "$ROOT/docs" "$ROOT/www/handbook" "$ROOT"/tools/site/{api.mjs,config.mjs,policy.mjs,theme.js,typedoc.config.mjs,package-lock.json} \
        "$ROOT/pkg/src" \
        "$ROOT/tools/build/make.sh" ||
        [[ ! -d "$ROOT/target/pages" ]]; then
        step "demo: pages" stamped "$STAMPS/pages" make_pages
    fi
    if stale "$STAMPS/site" "$ROOT/www" "$DIST" "$ROOT/target/site.ibid" "$ROOT/target/pages" "$ROOT/models" \
        "$ROOT"/tools/{build/make.sh,site/offline.mjs} ||
        [[ ! -f "$SITE/site.ibid" ]]; then
        step "demo: site" stamped "$STAMPS/site" assemble_site
    fi
}

# The package: wasm modules with their bindings, and TypeScript.
make_package() {
    # It runs for seconds: compiling it is what takes time.
    step "wasm: compile what makes bindings" cargo build --locked --profile tool -p ibid-bind
    step "wasm: compile the modules" compile_modules
    local module name parts
    for module in "${MODULES[@]}"; do
        read -r module name parts <<<"$module"
        if stale "$DIST/wasm/${name}_bg.wasm" "$COMPILED/$module.wasm" "$ROOT/tools/build/make.sh" "$BINDER"; then
            step "wasm: bindings of $name" bind_module "$COMPILED/$module.wasm" "$name" "$parts"
        fi
    done
    if stale "$STAMPS/stemmers" "$ROOT"/crates/{web/src/stem.rs,text} "$ROOT/Cargo.lock" "$ROOT/tools/build/make.sh" ||
        [[ ! -f "$DIST/wasm/stem_tr_bg.wasm" ]]; then
        step "wasm: stemmers" stamped "$STAMPS/stemmers" make_stemmers
    fi
    if stale "$STAMPS/typescript" "$ROOT/pkg/src" "$ROOT"/pkg/*.{json,mjs} || [[ ! -f "$DIST/index.js" ]]; then
        step "pkg: TypeScript" stamped "$STAMPS/typescript" compile_typescript
    fi
    local guard="$ROOT/crates/trust/src/guard"
    make_rules emergency "$guard/emergency"
    # The lists of names come last.
    make_rules pii "$guard"/pii/rules/{words,numbers,names,address,cues,forms,people}.txt
}

# make_rules NAME SOURCE...
make_rules() {
    local script="$DIST/wasm/$1_rules.js"
    stale "$script" "${@:2}" tools/build/rules.mjs || return 0
    step "pkg: rules, $1" node tools/build/rules.mjs "$script" "${@:2}"
}

# The command, the model that it embeds documents with, and the demo's index. What builds an index is older than the
# index as long as nothing on the way from a document to it has changed.
make_index() {
    step "ibid: the command" cargo build --locked --release -p ibid-cli
    setup_english
    if stale "$STAMPS/index" "$ROOT/docs" "$ROOT/www/handbook" "$ROOT/models" \
        "$ROOT"/crates/{platform,text,document,embed,terms,vectors,index,retrieve,build}/src "$ROOT"/crates/native/src "$ROOT/crates/cli/src/build.rs" ||
        [[ ! -f "$ROOT/target/site.ibid" ]]; then
        step "demo: index" stamped "$STAMPS/index" index_site
    fi
}

# The places of panics name files. Without the folders of this machine's crates and library, each machine gives the same
# bytes: the library's files are named as in the part of it that comes compiled. The linker notes what uses what, by
# which modules are taken apart, at the boundaries that `ibid_platform::lazily` declares.
wasm_flags() {
    local registry="${CARGO_HOME:-$HOME/.cargo}/registry/src" library commit folder remapped=""
    library="$(with_wasm rustc --print sysroot)/lib/rustlib/src/rust"
    commit="$(with_wasm rustc --version --verbose | sed -n 's/^commit-hash: //p')"
    cargo fetch --locked --quiet --target wasm32-unknown-unknown
    # Of crates, each registry has a folder of its own.
    for folder in "$registry"/*; do remapped+="'--remap-path-prefix=$folder=',"; done
    printf "target.wasm32-unknown-unknown.rustflags=[%s'--remap-path-prefix=%s=/rustc/%s','-Clink-arg=--emit-relocs','--cfg=ibid_parts']" \
        "$remapped" "$library" "$commit"
}

# One call for all modules, so that they share what they have in common and their last steps run side by side.
compile_modules() {
    with_wasm cargo build --locked --profile module --target wasm32-unknown-unknown --config "$(wasm_flags)" \
        -p ibid-web --bin ibid-search --bin ibid-ask --bin ibid-build --bin ibid-engines
}

# bind_module IN NAME [--parts]
# Bindings first: wasm-bindgen has to see the module as the compiler left it. The name section, which only a debugger
# and `size --top` want, goes at the end. The bindings are a quarter smaller by gzip when they are minified.
bind_module() {
    local from="$1" name="$2" parts="${3:-}" work="$ROOT/target/wasm-bindgen/$2" file
    rm -rf "$work"
    mkdir -p "$DIST/wasm" "$NAMED"
    "$BINDER" "$from" "$work" "$name" ${parts:+"$parts"}
    minified "$work" "$name"
    if [[ -n "$parts" ]]; then
        # The same bindings serve the module as a whole, for pages that hand it over themselves.
        "$BINDER" "$from" "$work/whole" "$name"
        minified "$work/whole" "$name"
        cmp "$work/$name.js" "$work/whole/$name.js"
        mv "$work/whole/${name}_bg.wasm" "$work/${name}_whole.wasm"
        rm -r "$work/whole"
    fi
    for file in "$work"/*.wasm; do
        wasm_opt "$file" "$NAMED/${file##*/}" --debuginfo --reorder-functions-by-name
        "$WASM_OPT" "${WASM_FEATURES[@]}" --strip-debug --strip-producers "$NAMED/${file##*/}" -o "$file"
    done
    cp "$work"/* "$DIST/wasm/"
}

# minified FOLDER NAME
minified() {
    "$ROOT/pkg/node_modules/.bin/rolldown" "$1/$2.js" --file "$1/$2.min.js" --minify
    mv "$1/$2.min.js" "$1/$2.js"
}

# They export numbers and memory alone, and pkg/src/stemmer.ts is the JavaScript of all.
make_stemmers() {
    local language work="$ROOT/target/wasm-bindgen/stem"
    with_wasm cargo build --locked --profile module --target wasm32-unknown-unknown --config "$(wasm_flags)" \
        -p ibid-web "${STEMMED[@]/#/--bin=ibid-stem-}"
    rm -rf "$work"
    mkdir -p "$DIST/wasm"
    for language in "${STEMMED[@]}"; do
        "$BINDER" "$COMPILED/ibid-stem-$language.wasm" "$work" "stem_$language" --script
        wasm_opt "$work/stem_${language}_bg.wasm" "$DIST/wasm/stem_${language}_bg.wasm" --strip-debug --strip-producers
    done
}

# wasm_opt IN OUT FLAG...
# By gzip, -O3 and -Oz gave the same size within a hundredth when measured, so speed decides. To inline every function that is
# called once only, as is its default, makes functions so long that gzip finds little in them to repeat: the module that
# answers questions was a tenth larger by it. Small functions worth inlining for speed the compiler has inlined before.
wasm_opt() {
    local from="$1" to="$2"
    shift 2
    "$WASM_OPT" -O3 --one-caller-inline-max-function-size=20 \
        --flexible-inline-max-function-size=0 "${WASM_FEATURES[@]}" "$@" "$from" -o "$to"
}

compile_typescript() {
    # What an earlier version of the sources left behind must not be published.
    find "$DIST" -mindepth 1 -maxdepth 1 ! -name wasm -exec rm -rf {} +
    cd "$ROOT/pkg"
    npm run build
    # What is copied to a site carries its licences, that of the query table included.
    cp "$ROOT/LICENSE-MIT" "$ROOT/LICENSE-APACHE" "$ROOT/models/NOTICE" "$DIST/"
}

# Small passages, a section or a part of one each: a page of results is then read at a glance, and the query table
# finds them better than long ones.
index_site() {
    target/release/ibid build "$PAGES" -o target/site.ibid.part --budget 120 --min-size 0 \
        --base-url "${IBID_BASE:-/}"
    mv target/site.ibid.part target/site.ibid
}

# The documentation and the handbook side by side, as VitePress makes pages of them.
stage_pages() {
    rm -rf "$PAGES"
    mkdir -p "$PAGES/.vitepress/theme"
    cp -R -p "$ROOT/docs" "$ROOT/www/handbook" "$PAGES"
    cp -p "$ROOT/tools/site/config.mjs" "$PAGES/.vitepress/config.mjs"
    cp -p "$ROOT/tools/site/policy.mjs" "$PAGES/.vitepress/policy.mjs"
    cp -p "$ROOT/tools/site/theme.js" "$PAGES/.vitepress/theme/index.js"
}

make_pages() {
    cd "$ROOT/tools/site"
    rm -rf "$ROOT/target/pages"
    npx vitepress build "$PAGES" --outDir "$ROOT/target/pages"
    # The page that compares asks Pagefind too.
    npx pagefind --site "$ROOT/target/pages" --root-selector main
    node api.mjs "$ROOT/target/pages/api"
}

# The pages, the package as `ibid/`, and the index: nothing but static files.
assemble_site() {
    local next="$ROOT/target/site.next"
    rm -rf "$next"
    cp -R "$ROOT/target/pages" "$next"
    cp "$ROOT"/www/*.* "$next"
    cp -R "$DIST" "$next/ibid"
    cp "$ROOT"/models/*.bin "$next/ibid/"
    # pdf.js (Apache-2.0) reads the PDF files that visitors bring along; unpdf (MIT) makes one file of it.
    mkdir "$next/pdfjs"
    cp "$ROOT/tools/site/node_modules/unpdf/dist/pdfjs.mjs" "$next/pdfjs/pdfjs.js"
    cp "$ROOT/tools/site/node_modules/unpdf/LICENSE" "$ROOT/LICENSE-APACHE" "$next/pdfjs/"
    # fflate (MIT) finds such files in a zip.
    mkdir "$next/fflate"
    cp "$ROOT/tools/site/node_modules/fflate/esm/browser.js" "$next/fflate/fflate.js"
    cp "$ROOT/tools/site/node_modules/fflate/LICENSE" "$next/fflate/"
    cp "$ROOT/target/site.ibid" "$next/site.ibid"
    node "$ROOT/tools/site/offline.mjs" "$next"
    rm -rf "$SITE"
    mv "$next" "$SITE"
}

# pack: after a build.
pack() {
    if stale "$STAMPS/packages" "$DIST" "$ROOT/target/release/ibid" "$ROOT"/pkg/{bin,dev,models,package.json} "$ROOT"/{wheel,plugins} \
        "$ROOT"/tools/build/{make.sh,platform.mjs}; then
        step "packages" stamped "$STAMPS/packages" make_packages
    fi
}

# The packages of npm and the wheels, those of the models that are there included.
make_packages() {
    local source copy work="$PACKAGES/work" wheels=()
    rm -rf "$PACKAGES"
    mkdir -p "$work"
    pack_program ""
    cd "$ROOT/pkg"
    npm pack --silent --ignore-scripts --pack-destination "$PACKAGES" .
    # Copies are packed: they need licences, and building leaves files behind.
    for source in "$ROOT"/plugins/* "$ROOT"/pkg/models/*; do
        [[ "$source" == "$ROOT"/plugins/* ]] || compgen -G "$source/*table.bin" >/dev/null || continue
        copy="$work/${source##*/}"
        cp -R "$source" "$copy"
        [[ -f "$copy/LICENSE" ]] || cp "$ROOT"/LICENSE-* "$copy"
        [[ ! -f "$copy/package.json" ]] || npm pack --silent --pack-destination "$PACKAGES" "$copy"
        [[ ! -f "$copy/pyproject.toml" ]] || wheels+=("$copy")
    done
    python3 -m pip wheel --no-deps --wheel-dir "$PACKAGES" "${wheels[@]}"
    rm -rf "$work"
}

# pack_program TRIPLE: the program's npm package and wheel, for a target that is compiled first; for this machine where TRIPLE is empty. The wheel
# leaves out what no page asks for.
pack_program() {
    local package files="$PACKAGES/ibid.data/data/share/ibid" program=() target=()
    if [[ -n "$1" ]]; then
        target=(--target "$1")
        cargo build --locked --release -p ibid-cli "${target[@]}"
        program=("$1" "$(find "target/$1/release" -maxdepth 1 \( -name ibid -o -name ibid.exe \))")
    fi
    package="$(node tools/build/platform.mjs "$PACKAGES" "${program[@]}")"
    npm pack --silent --pack-destination "$PACKAGES" "$package"
    rm -rf "$files"
    mkdir -p "$files"
    cp -R "$DIST/." "$files"
    find "$files" \( -name '*.map' -o -name '*.d.ts' -o -name '*_whole.wasm' \) -delete
    cd "$ROOT/wheel"
    cp -p "$ROOT"/LICENSE-* .
    "$TOOLS/maturin/bin/maturin" build --locked --release "${target[@]}" --out "$PACKAGES"
}

# size [--top]: after a build.
size() {
    node "$ROOT/tools/build/size.mjs" "$SITE" "$ROOT/tests/size-budget.json" || exit 1
    [[ "${1:-}" == --top ]] || return 0
    cargo_tool twiggy twiggy "$TWIGGY_VERSION" --locked
    local file
    for file in "$NAMED"/*_bg.wasm; do say "$file" && "$TOOLS/bin/twiggy" top -n 40 "$file"; done
}
