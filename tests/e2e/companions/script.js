document.documentElement.dataset.companion = "ran";
