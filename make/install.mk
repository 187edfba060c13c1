# make install PREFIX=/usr/local DESTDIR=

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
VERSION := $(shell cat VERSION 2>/dev/null || echo 1.0.0)

HEADERS := $(wildcard include/hepta/*.h)
PAGES := $(wildcard docs/man/*.3 docs/man/*.7)
page_path = man$(subst .,,$(suffix $(1)))/$(notdir $(1))

INSTALLED := $(LIBDIR)/$(SONAME) $(LIBDIR)/libhepta.so $(LIBDIR)/libhepta.a \
    $(LIBDIR)/libhepta-prefixed.a \
    $(LIBDIR)/pkgconfig/hepta.pc $(HEADERS:include/%=$(INCLUDEDIR)/%) \
    $(foreach page,$(PAGES),$(MANDIR)/$(call page_path,$(page)))

.PHONY: install uninstall installs-to-one-place

# Else hepta.pc would name a place that is another one from elsewhere, and the lines below would split it.
install uninstall: installs-to-one-place

installs-to-one-place:
	$(Q)case '$(PREFIX)' in /*[[:blank:]]*|[!/]*|'') \
	    echo "PREFIX has to be an absolute path without blanks, not '$(PREFIX)'" >&2; exit 2 ;; esac

install: all ## libraries, headers, hepta.pc and man pages: PREFIX=/usr/local DESTDIR= LIBDIR= INCLUDEDIR= MANDIR=
	$(Q)install -D -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libhepta.so
	$(Q)install -D -m 644 $(STATIC) $(DESTDIR)$(LIBDIR)/libhepta.a
	$(Q)install -D -m 644 $(PREFIXED) $(DESTDIR)$(LIBDIR)/libhepta-prefixed.a
	$(Q)for header in $(HEADERS:include/%=%); do \
	    install -D -m 644 include/$$header $(DESTDIR)$(INCLUDEDIR)/$$header; done
	$(Q)$(foreach page,$(PAGES),\
	    install -D -m 644 $(page) $(DESTDIR)$(MANDIR)/$(call page_path,$(page));)
	$(Q)install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    src/hepta.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/hepta.pc
	@echo "installed: LD_PRELOAD=$(LIBDIR)/libhepta.so.1 PROGRAM, or run ldconfig if the loader looks there"

uninstall: ## remove what install put there
	$(Q)rm -f $(INSTALLED:%=$(DESTDIR)%)
	$(Q)rmdir $(DESTDIR)$(INCLUDEDIR)/hepta 2>/dev/null || true
	@echo "removed what install put into $(PREFIX); its folders stay"
